import * as mcplite from "./index.js";

export * from "./index.js";
export default mcplite;
