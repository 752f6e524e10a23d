import type { Plugin } from 'vite'

export declare const toPackedFile: (id: string) => string
export declare const packedFiles: Plugin
