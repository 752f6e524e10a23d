// The least that a list or a record takes on Node: its pages one after the other over node:http, each byte passed on, nothing looked at.
// Over TLS the file of the certificate comes second.
'use strict'

const [, , first, certificate] = process.argv
const { get, Agent } = require(certificate === undefined ? 'node:http' : 'node:https')
const ca = certificate && require('node:fs').readFileSync(certificate)

const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })

const page = (url) =>
  get(url, { agent, headers: { 'private-token': 'bench' } }, (answer) => {
    const next = /<([^>]+)>; *rel="next"/.exec(answer.headers.link ?? '')?.[1]
    answer.on('data', (chunk) => {
      if (!process.stdout.write(chunk)) {
        answer.pause()
        process.stdout.once('drain', () => answer.resume())
      }
    })
    answer.on('end', () => (next === undefined ? agent.destroy() : page(next)))
  })

page(first)
