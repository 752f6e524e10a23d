/**
 * Git objects computed without the git program, so that the sample data can name its commits
 * before any repository exists; the same objects become the repository on first use.
 */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'

interface Signature {
  readonly name: string
  readonly email: string
}

export interface CommitPlan {
  readonly author: Signature
  /** ISO 8601; whole seconds count. */
  readonly date: string
  readonly message: string
  readonly parents: readonly string[]
  /** All files of the tree: path → text. */
  readonly files: Readonly<Record<string, string>>
}

export interface Content {
  /** ID → loose object, header included. */
  readonly objects: Map<string, Buffer>
  /** Full name (`refs/heads/main`) → commit. */
  readonly refs: Map<string, string>
}

export const emptyContent = (): Content => ({ objects: new Map(), refs: new Map() })

const store = ({ objects }: Content, type: string, body: Buffer): string => {
  const object = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])
  const id = createHash('sha1').update(object).digest('hex')
  objects.set(id, object)
  return id
}

interface Entry {
  readonly name: string
  readonly mode: string
  readonly id: string
}

/** Git sorts a directory as if its name ended in a slash. */
const sortName = ({ name, mode }: Entry): string => (mode === '40000' ? `${name}/` : name)

const writeTree = (content: Content, files: ReadonlyMap<string, string>): string => {
  const below = new Map<string, Map<string, string>>()
  const entries: Entry[] = []
  for (const [path, text] of files) {
    const slash = path.indexOf('/')
    if (slash === -1) {
      const mode = path.endsWith('.sh') ? '100755' : '100644'
      entries.push({ name: path, mode, id: store(content, 'blob', Buffer.from(text)) })
      continue
    }
    const folder = path.slice(0, slash)
    const inside = below.get(folder) ?? new Map<string, string>()
    below.set(folder, inside.set(path.slice(slash + 1), text))
  }
  for (const [name, inside] of below)
    entries.push({ name, mode: '40000', id: writeTree(content, inside) })
  entries.sort((a, b) => Buffer.compare(Buffer.from(sortName(a)), Buffer.from(sortName(b))))
  const lines = entries.map(({ name, mode, id }) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  )
  return store(content, 'tree', Buffer.concat(lines))
}

/** Adds a commit and all that it holds; returns its ID. */
export const addCommit = (content: Content, plan: CommitPlan): string => {
  const tree = writeTree(content, new Map(Object.entries(plan.files)))
  const who = `${plan.author.name} <${plan.author.email}> ${Math.floor(Date.parse(plan.date) / 1000)} +0000`
  const lines = [
    `tree ${tree}`,
    ...plan.parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
    '',
    plan.message.endsWith('\n') ? plan.message : `${plan.message}\n`,
  ]
  return store(content, 'commit', Buffer.from(lines.join('\n')))
}

const put = async (path: string, data: string | Buffer): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, data)
}

/** Writes objects and refs into a bare repository that `git init` has just made. */
export const writeContent = async (path: string, content: Content): Promise<void> => {
  const squeeze = promisify(deflate)
  for (const [id, object] of content.objects)
    await put(join(path, 'objects', id.slice(0, 2), id.slice(2)), await squeeze(object))
  for (const [name, id] of content.refs) await put(join(path, name), `${id}\n`)
}
