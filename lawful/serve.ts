import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Implementation, variablesOf } from './implementation.ts'

// Serves one implementation on loopback, and sends the configuration of a run to the parent process. As a separate
// process, it shares neither event loop nor output with the run.
//   node lawful/serve.ts NAME

const [name = ''] = process.argv.slice(2)
const { implementation } = (await import(`./implementations/${name}.ts`)) as {
  implementation: Implementation
}

let listener: RequestListener = (_, response) => void response.writeHead(503).end()
const server = createServer((request, response) => listener(request, response))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const served = await implementation.start(origin)
listener = served.listener

// The parent process has ended.
process.on('disconnect', () => process.exit())
process.send?.(variablesOf(origin, served))
