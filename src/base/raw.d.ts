/** Declares the text of a file as a module. Vite and Vitest provide it, and `.config/raw-text.mjs` does in the build. */
declare module '*?raw' {
  const text: string
  export default text
}

/** A file of a package, compressed, as base64 text: `.config/packed-files.mjs` makes it. */
declare module 'packed:*' {
  const base64: string
  export default base64
}
