/** Implements `--note`: keeps one note with the plan on the merge request of the CI job. It uses a token of its own. */
import { isObject, listObjects } from '../../base/objects.js'
import { mr } from '../../catalogue/areas/mr.js'
import { account } from '../../catalogue/undocumented.js'
import { largestPage } from '../../client/defaults.js'
import type { Context, ExternalClient } from '../../engine/command/context.js'
import { createNoteRow, createTextRow, type Rows } from '../../engine/rows.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import type { Credential } from '../../http/types.js'
import { checkToken } from '../../profile/tokens.js'
import type { PlanGiven } from './flags.js'
import { renderNote } from './reports.js'
import { noteMark, type ReportedPlan } from './rows.js'

/** The merge request of the CI job, and the token that writes notes on it. */
export interface NotePlace {
  /** The address of the instance that runs the job; undefined for the instance of the plan. */
  readonly server: string | undefined
  readonly project: string
  readonly iid: string
  readonly credential: Credential
}

const tokenHint =
  'Set SVC_NOTE_TOKEN to a project access token with the scope api. The token of a CI job cannot write notes.'

/**
 * Finds the merge request for the note before anything is planned; undefined without `--note`.
 * @throws Failure `auth` without SVC_NOTE_TOKEN, `usage` outside of the CI job of a merge request
 */
export const findNotePlace = (
  { place: { env } }: Context,
  { flags }: Pick<PlanGiven, 'flags'>,
): NotePlace | undefined => {
  if (flags.note !== true) return undefined
  const { SVC_NOTE_TOKEN: token, CI_MERGE_REQUEST_IID: iid, CI_SERVER_URL: server } = env
  if (!token)
    throw new Failure('auth', '--note requires SVC_NOTE_TOKEN, a token that can write notes', {
      hint: tokenHint,
    })
  const { kind, value } = checkToken(token, 'personal', 'SVC_NOTE_TOKEN')
  // A merge request from a fork belongs to another project than its pipeline.
  const project = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID
  if (!project || !iid || !/^\d+$/.test(iid))
    throw usage(
      '--note requires the CI job of a merge request, with CI_PROJECT_ID and CI_MERGE_REQUEST_IID',
      'Run it in a merge request pipeline, or write the note to a file: --report markdown=plan.md',
    )
  return { server: server || undefined, project, iid, credential: { kind, value } }
}

/**
 * Opens a client for the instance that has the merge request. The settings of the profile apply only if that is the instance of the plan.
 */
const openNoteClient = async (
  { instance, place }: Context,
  { server, credential }: NotePlace,
): Promise<ExternalClient> => {
  const session = await place.session()
  const address = place.globals.sandbox === true ? session.baseUrl : (server ?? session.baseUrl)
  const isSame = new URL(address).origin === new URL(session.baseUrl).origin
  const { profile } = session
  const party = { ...(isSame ? { profile } : {}), mayWrite: true } as const
  return instance.createClientFor(isSame ? session.baseUrl : address, credential, party)
}

const readData = async (client: ExternalClient, path: string): Promise<unknown> =>
  (await client.call({ method: 'GET', path, headers: {} })).data

/** Finds the ID of this user's newest note that begins with the mark; undefined if there is none. */
const findOwnNote = async (
  client: ExternalClient,
  notes: string,
  mark: string,
): Promise<number | undefined> => {
  const { path } = await client.build({ endpoint: account, values: {} })
  const user = await readData(client, path)
  if (!isObject(user)) return undefined
  for (let page = 1; ; page += 1) {
    const query = `?order_by=created_at&sort=desc&per_page=${largestPage}&page=${page}`
    const found = await readData(client, notes + query)
    const all = listObjects(found)
    const own = all.flatMap(({ id, body, author }) =>
      typeof id === 'number' &&
      typeof body === 'string' &&
      body.startsWith(mark) &&
      isObject(author) &&
      author.id === user.id
        ? [id]
        : [],
    )
    if (own.length > 0) return Math.max(...own)
    if (all.length < largestPage) return undefined
  }
}

/** Creates the note, or updates the existing one. @returns the action in words */
const postNote = async (
  context: Context,
  to: NotePlace,
  text: string,
  mark: string,
): Promise<string> => {
  const client = await openNoteClient(context, to)
  // Instances have notes below each merge request, although the documents do not show them.
  const values = { id: to.project, merge_request_iid: Number(to.iid) }
  const { path } = await client.build({ endpoint: mr.get, values })
  const notes = `${path}/notes`
  const id = await findOwnNote(client, notes, mark)
  await client.call({
    method: id === undefined ? 'POST' : 'PUT',
    path: id === undefined ? notes : `${notes}/${id}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ body: text }),
  })
  return id === undefined ? 'created a note' : `updated note ${id}`
}

/** Posts the plan as a note. A note that cannot be posted is printed, and the plan alone decides the exit code. */
export async function* writePlanNote(
  context: Context,
  to: NotePlace | undefined,
  reported: ReportedPlan,
): Rows {
  if (to === undefined) return
  const text = renderNote(reported)
  try {
    const done = await postNote(context, to, text, noteMark(reported.of))
    yield createNoteRow(`${done} on merge request !${to.iid}`)
  } catch (error) {
    const { category, message, details } = recoverFrom(error)
    context.ui.warn(`the note was not posted: ${message}`)
    const hint = category === 'auth' ? tokenHint : details.hint
    if (hint !== undefined) context.ui.note(hint)
    // Programs expect only the plan on standard output.
    if (context.answer.reader === 'people') yield createTextRow(text)
    else context.ui.warn(text)
  }
}
