/** Integrations"). */
import { Bool, Int, maybe, Obj, Str, Timestamp, Union, Unknown } from './common.js'

/** Instances spell these flags as `true`, `"true"`, `"1"` or `1`. */
const Flag = Union([Bool(), Str(), Int()])

const listed = {
  id: Int(),
  title: Str(),
  slug: Str(),
  created_at: Timestamp,
  updated_at: Timestamp,
  active: Flag,
  commit_events: Flag,
  push_events: Flag,
  issues_events: Flag,
  confidential_issues_events: Flag,
  merge_requests_events: Flag,
  tag_push_events: Flag,
  note_events: Flag,
  confidential_note_events: Flag,
  pipeline_events: Flag,
  wiki_page_events: Flag,
  job_events: Flag,
  comment_on_event_enabled: Flag,
}

export const IntegrationSummary = Obj(listed, { title: 'Integration summary' })
/** What create, edit and get answer with is not documented; instances add the properties. */
export const Integration = Obj(
  { ...listed, properties: maybe(Unknown()) },
  { title: 'Integration' },
)
