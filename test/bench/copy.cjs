// The least that a long list takes on Node: its pages one after the other over node:http, each byte passed on, nothing looked at.
'use strict'

const http = require('node:http')

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })

const page = (url) =>
  http.get(url, { agent, headers: { 'private-token': 'bench' } }, (answer) => {
    const next = /<([^>]+)>; *rel="next"/.exec(answer.headers.link ?? '')?.[1]
    answer.on('data', (chunk) => {
      if (!process.stdout.write(chunk)) {
        answer.pause()
        process.stdout.once('drain', () => answer.resume())
      }
    })
    answer.on('end', () => (next === undefined ? agent.destroy() : page(next)))
  })

page(process.argv[2])
