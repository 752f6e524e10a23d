/** Declares the text of a file as a module. Vite and Vitest provide it, and `.config/raw-text.mjs` does in the build. */
declare module '*?raw' {
  const text: string
  export default text
}
