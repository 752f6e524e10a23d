/** The addresses of alert endpoints: `/<project path>/alerts/notify/<name>/<identifier>.json`. */

/** The names of the groups are no properties of an alert. */
export const alertAddress =
  /^\/(?<endpoint_project>.+)\/alerts\/notify\/[^/]+\/(?<endpoint_identifier>[^/]+)\.json$/
