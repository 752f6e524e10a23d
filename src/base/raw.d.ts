/** The text of a file as a module: vite and vitest make it, and `.config/raw-text.mjs` for the build. */
declare module '*?raw' {
  const text: string
  export default text
}
