export * from "./bmad.js";
