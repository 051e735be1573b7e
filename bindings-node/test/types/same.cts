/** Compiles only if both types are the same, `any` being the same as itself alone. */
export function same<A, B>(..._proof: Same<A, B> extends true ? [] : [never]): void {}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
