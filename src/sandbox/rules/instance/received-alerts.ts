/** What lies behind the alert endpoints, for people who look at the embedded instance. */
import type { State } from '../../state/state.js'

/** Where alerts can be sent: each endpoint with its address and key. */
export const alertEndpointsOf = (state: State, base: string) =>
  state.alertEndpoints.all().map(({ project_id, name, identifier, key, active }) => {
    const project = state.projects.get(project_id)?.path_with_namespace ?? ''
    const url = `${base}/${project}/alerts/notify/${encodeURIComponent(name)}/${identifier}.json`
    return { project, name, url, key, active }
  })

/** The alerts that were received, newest first, each with what was sent. */
export const receivedAlerts = (state: State) =>
  state.alerts
    .all()
    .reverse()
    .map(({ id: _, project_id, endpoint_id, fingerprint: _print, issue_id: _issue, ...alert }) => ({
      project: state.projects.get(project_id)?.path_with_namespace ?? '',
      endpoint: state.alertEndpoints.get(endpoint_id)?.name ?? '',
      ...alert,
    }))
