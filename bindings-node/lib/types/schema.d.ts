// What describes values, and the types of those values.

/** A schema of a library, as the Standard Schema and Standard JSON Schema specifications describe it: zod 4.2 and
 * newer, arktype, and valibot after `toStandardJsonSchema` of `@valibot/to-json-schema`. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** A library that does not have this needs a converter or an update: clients could not be told what to send. */
    readonly jsonSchema: {
      readonly input: (options: any) => object;
      readonly output: (options: any) => object;
    };
  };
}

/** A JSON Schema, 2020-12 or draft-07. */
export type JsonSchema = { readonly [keyword: string]: unknown; readonly "~standard"?: Unconverted } | JsonSchemaKeywords;

/** What the compiler says of a schema that does not know its JSON Schema. */
type Unconverted = "for valibot, give toStandardJsonSchema(schema); for other libraries, update them";

/** Some keywords, by which interfaces that describe JSON Schemas are known. */
interface JsonSchemaKeywords {
  readonly $schema?: string | undefined;
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly properties?: object | undefined;
  readonly required?: readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly anyOf?: readonly unknown[] | undefined;
  readonly oneOf?: readonly unknown[] | undefined;
  readonly allOf?: readonly unknown[] | undefined;
  readonly "~standard"?: Unconverted;
}

/** What can describe values: a schema of a library, an object of such schemas, or a JSON Schema. */
export type AnySchema = StandardSchema<any, any> | Shape | JsonSchema;

type Shape = { readonly [name: string]: StandardSchema<any, any> };

/** The type of the values that a schema gives to handlers. */
export type Infer<S> =
  IsAny<S> extends true ? any
  : S extends StandardSchema<any, infer Output> ? Output
  : IsShape<S> extends true ? FromShape<S, "output">
  : FromJsonSchema<S>;

/** The type of the values that a schema takes, which are those that handlers return for an output schema. */
export type InferInput<S> =
  IsAny<S> extends true ? any
  : S extends StandardSchema<infer Input, any> ? Input
  : IsShape<S> extends true ? FromShape<S, "input">
  : FromJsonSchema<S>;

export type IsAny<S> = 0 extends 1 & S ? true : false;

/** A record of anything could be one as well, but nobody knows its names. */
type IsShape<S> = S extends Shape ? (string extends keyof S ? false : true) : false;

export type Simplify<T> = { [K in keyof T]: T[K] } & {};

type FromShape<S, Side extends "input" | "output"> = WithOptional<{
  -readonly [K in keyof S]: S[K] extends StandardSchema<infer Input, infer Output>
    ? { input: Input; output: Output }[Side]
    : never;
}>;

/** Members that may be undefined may be missing. */
type WithOptional<T> = Simplify<
  { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & { [K in keyof T as undefined extends T[K] ? K : never]?: T[K] }
>;

/** The type of the values that a JSON Schema describes, as far as TypeScript can tell; `any` where it cannot. */
export type FromJsonSchema<S> =
  // As TypeBox says it.
  S extends { readonly static: infer Static } ? Static
  : S extends { readonly const: infer Value } ? Value
  : S extends { readonly enum: readonly (infer Value)[] } ? Value
  : S extends { readonly properties: infer P } ? FromProperties<P, S>
  : S extends { readonly anyOf: readonly (infer Branch)[] } ? FromJsonSchema<Branch>
  : S extends { readonly oneOf: readonly (infer Branch)[] } ? FromJsonSchema<Branch>
  : S extends { readonly allOf: infer Parts extends readonly unknown[] } ? FromParts<Parts>
  : S extends { readonly type: infer Type } ? FromTypes<Type, S>
  : any;

/** One type or a list of them, which distributes. */
type FromTypes<Type, S> =
  string extends Type ? any
  : Type extends readonly (infer One)[] ? FromTypes<One, S>
  : Type extends "string" ? string
  : Type extends "number" | "integer" ? number
  : Type extends "boolean" ? boolean
  : Type extends "null" ? null
  : Type extends "array" ? FromItems<S>
  : Type extends "object" ? FromMap<S>
  : any;

type FromProperties<P, S> =
  // Without `as const` it is known neither which members are required nor what they are.
  S extends { readonly type: infer Type } ? (string extends Type ? any : FromTypedProperties<P, S, Type>)
  : FromMembers<P, RequiredNames<S>>;

type FromTypedProperties<P, S, Type> =
  Type extends readonly (infer One)[] ? FromTypedProperties<P, S, One>
  : Type extends "object" ? FromMembers<P, RequiredNames<S>>
  : FromTypes<Type, S>;

type RequiredNames<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type FromMembers<P, Name> = Simplify<
  { -readonly [K in keyof P as K extends Name ? K : never]: FromJsonSchema<P[K]> }
  & { -readonly [K in keyof P as K extends Name ? never : K]?: FromJsonSchema<P[K]> | undefined }
>;

type FromItems<S> =
  S extends { readonly prefixItems: infer Items extends readonly unknown[] } ? FromTuple<Items>
  : S extends { readonly items: infer Items } ? (Items extends readonly unknown[] ? FromTuple<Items> : FromJsonSchema<Items>[])
  : unknown[];

type FromTuple<Items extends readonly unknown[]> = { -readonly [K in keyof Items]: FromJsonSchema<Items[K]> };

type FromMap<S> =
  S extends { readonly additionalProperties: infer Values extends object } ? { [name: string]: FromJsonSchema<Values> }
  : { [name: string]: unknown };

type FromParts<Parts extends readonly unknown[]> =
  Parts extends readonly [infer Part, ...infer Others] ? Simplify<FromJsonSchema<Part> & FromParts<Others>> : unknown;

// Nothing else is exported.
export {};
