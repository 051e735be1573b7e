
#ifdef __cplusplus
}
#endif

#endif /* MCPLITE_H */
