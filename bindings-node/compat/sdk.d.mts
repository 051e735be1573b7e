export * from "./sdk.js";
