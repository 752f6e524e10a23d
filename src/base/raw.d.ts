/** The text of a file as a module: vite and vitest make it, and `.config/raw-text.mjs` for the build. */
declare module '*?raw' {
  const text: string
  export default text
}

/** A file of a package, compressed, as base64 text: `.config/packed-files.mjs` makes it. */
declare module 'packed:*' {
  const base64: string
  export default base64
}
