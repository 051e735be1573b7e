// The same for `import`.
export {};
