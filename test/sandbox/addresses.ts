/** Fills the paths of endpoints with values of the sample data. */

/** Values for placeholders, by the beginning of the path. */
const sampleValues: readonly (readonly [RegExp, string])[] = [
  [/^\/groups\/:id\/billable_members\/:user_id/, '/groups/1/billable_members/4'],
  [/^\/groups\/:id/, '/groups/platform'],
  [/^\/users\/:(user_)?id/, '/users/ben'],
  [/^\/projects\/:(project_)?id/, '/projects/platform%2Fapp'],
  [/^(\/projects.*)\/:user_id/, '$1/5'],
  [/^(.*)\/:user_id/, '$1/4'],
  [/^(.*)\/:sha/, '$1/main'],
  [/^(.*)\/:slug/, '$1/emails-on-push'],
  [/^(.*)\/:key$/, '$1/production'],
  [/^(.*)\/artifacts\/:ref_name/, '$1/artifacts/main'],
  [/^(.*)\/jobs\/:job_id/, '$1/jobs/1'],
  [/^(.*)\/\*artifact_path/, '$1/dist/app.txt'],
  [/^(.*)\/pipelines\/:pipeline_id/, '$1/pipelines/2'],
  [/^(.*)\/:[a-z_]+/, '$1/1'],
]

/** Returns the path of an endpoint with values of the sample data. */
export const toExamplePath = (path: string): string => {
  let example = path
  for (const [pattern, value] of sampleValues) example = example.replace(pattern, value)
  if (path.endsWith('/pages/domains/:domain'))
    return '/projects/web%2Fsite/pages/domains/www.example.test'
  return path.includes(':ref_name') ? `${example}?job=build` : example
}
