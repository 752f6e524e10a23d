declare const SVCCTL_VERSION: string
declare const SVCCTL_BUGS: string

/** The tool's version; the bundler puts it in. */
export const version = typeof SVCCTL_VERSION === 'string' ? SVCCTL_VERSION : '0.0.0'
/** Where defects are reported: `bugs.url` of package.json, put in by the bundler. */
export const bugs = typeof SVCCTL_BUGS === 'string' ? SVCCTL_BUGS : 'the place where you got it'
export const userAgent = `svcctl/${version}`
