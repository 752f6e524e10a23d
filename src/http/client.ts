/** The client: one call, one stream, or one list, each ending in an answer or a Failure. */

import { normalizeBaseUrl } from '../base/base-url.js'
import { scrubbed } from '../base/secrets/scrub.js'
import { Failure } from '../errors.js'
import { readSome, readWhole } from './answers/body.js'
import { failureOf } from './answers/failure.js'
import { sealed } from './answers/sealed.js'
import { notJson, wholeOf } from './answers/whole.js'
import type { Pages } from './lists/ahead.js'
import { listRecords } from './lists/list.js'
import { Attempts, type Clock, isIdempotent, isSafe, systemClock } from './sending/attempts.js'
import { createConnections } from './sending/connections.js'
import { interruptions } from './sending/interruption.js'
import { Lost, unknownOutcome } from './sending/lost.js'
import type { OpenAnswer } from './sending/open-answer.js'
import { Wire } from './sending/wire.js'
import type { Answer, Client, ClientOptions, Whole, WireRequest } from './types.js'

/** Answers of gateways that leave open whether the instance carried the request out. */
const gateways = new Set([502, 503, 504])

const deletedHint =
  'An earlier attempt, whose answer was lost, may have deleted it: look before trying again.'

/** The Failure for an answer that refuses, its body read. */
const refusal = async (reply: OpenAnswer, attempts: Attempts): Promise<Failure> => {
  const bytes = await readSome(reply.body)
  reply.trace.answered(reply.status, reply.headers, bytes)
  const { status, headers, label, signedIn, method } = reply
  const failure = failureOf({ status, headers, body: bytes, request: label, signedIn })
  if (gateways.has(status) && !isSafe(method)) return unknownOutcome(failure)
  if (status === 404 && method === 'DELETE' && attempts.made > 0)
    return new Failure(failure.category, failure.message, {
      ...failure.details,
      unknownOutcome: true,
      hint: deletedHint,
    })
  return failure
}

const isAnswer = (status: number): boolean => (status >= 200 && status < 300) || status === 304

/** A body cut short: again where that is harmless, else a Failure that says what is not known. */
const afterLoss = async (error: unknown, reply: OpenAnswer, attempts: Attempts): Promise<void> => {
  if (!(error instanceof Lost)) throw error
  if (error.transient && isIdempotent(reply.method) && attempts.left)
    return attempts.pause(reply.label, error.message)
  throw isSafe(reply.method) ? error : unknownOutcome(error)
}

/** Throws what went wrong without what was sent as a secret, and without what must stay sealed. */
const cleaned =
  (request: WireRequest) =>
  (error: unknown): never => {
    throw scrubbed(request.sealed === true ? sealed(error) : error)
  }

/**
 * A client for one instance and one credential. Nothing is connected, and no library loaded,
 * before the first request.
 * @param clock time and chance; tests give their own
 * @throws Failure `usage` for a base URL that is none
 */
export const createClient = (options: ClientOptions, clock: Clock = systemClock): Client => {
  const onInterrupt = interruptions(options.signal)
  const baseUrl = normalizeBaseUrl(options.baseUrl)
  const connections = createConnections({ ...options, baseUrl })
  const wire = new Wire({ ...options, baseUrl }, connections, onInterrupt, clock.now)
  const note = options.note ?? (() => {})
  const newAttempts = () => new Attempts(options.retries, clock, note, onInterrupt)

  const answered = async (
    request: WireRequest,
    attempts: Attempts,
    abroad = false,
  ): Promise<OpenAnswer> => {
    const reply = await wire.send(request, attempts, abroad)
    if (!isAnswer(reply.status)) throw await refusal(reply, attempts)
    return reply
  }

  const streamed = async (
    request: WireRequest,
    attempts: Attempts,
    abroad = false,
  ): Promise<OpenAnswer> => {
    const reply = await answered(request, attempts, abroad)
    reply.trace.answered(reply.status, reply.headers)
    return reply
  }

  const open = async (request: WireRequest): Promise<Answer> => {
    const { status, headers, label, body, cancel } = await streamed(request, newAttempts(), true)
    const url = label.slice(label.indexOf(' ') + 1)
    return { status, headers, url, body: body.unhurried(), cancel }
  }

  const call = async (request: WireRequest): Promise<Whole> => {
    const attempts = newAttempts()
    for (;;) {
      const reply = await answered(request, attempts)
      try {
        const bytes = await readWhole(reply.body, reply.label)
        reply.trace.answered(reply.status, reply.headers, bytes)
        return wholeOf(reply, bytes)
      } catch (error) {
        if (error instanceof Error) reply.trace.failed(error)
        await afterLoss(error, reply, attempts)
      }
    }
  }

  const pages: Pages = {
    root: wire.root,
    note: (text) => note(text, 'verbose'),
    open: (request, attempts) => streamed(request, attempts),
    attempts: newAttempts,
    width: () => options.gate?.width,
    foreign: notJson,
  }

  return {
    open: (request) => open(request).catch(cleaned(request)),
    call: (request) => call(request).catch(cleaned(request)),
    async *list(request, listing) {
      try {
        return yield* listRecords(pages, request, listing)
      } catch (error) {
        throw scrubbed(error)
      }
    },
    close: connections.close,
  }
}
