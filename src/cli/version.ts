declare const SVCCTL_VERSION: string

/** The tool's version; the bundler puts it in. */
export const version = typeof SVCCTL_VERSION === 'string' ? SVCCTL_VERSION : '0.0.0'
export const userAgent = `svcctl/${version}`
