import type { Plugin } from 'vite'

/** Markdown files as modules with their text. */
export const markdownText: Plugin
