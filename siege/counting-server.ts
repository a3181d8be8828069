import { createSocket } from 'node:dgram'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface CountingServer {
  readonly origin: string
  readonly host: string
  /** Every request, including upgrades: method, path and Sec-Fetch-Dest. */
  readonly requests: string[]
  /** Number of connections without a request. */
  readonly silent: number
  /** Number of datagrams to the port, for example of WebRTC and WebTransport. */
  readonly datagrams: number
  close(): Promise<void>
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server on loopback that counts requests, connections and datagrams to its port. */
export async function startCountingServer(answer: Answer): Promise<CountingServer> {
  const requests: string[] = []
  const unused = new Set<Socket>()
  let datagrams = 0
  const count = ({ method, url, headers, socket }: IncomingMessage) => {
    unused.delete(socket)
    requests.push(`${method} ${url} ${headers['sec-fetch-dest'] ?? ''}`.trim())
  }
  const server = createServer((request, response) => {
    count(request)
    request.resume()
    answer(request, response)
  })
  server.on('upgrade', (request, socket) => {
    count(request)
    socket.destroy()
  })
  server.on('connection', (socket) => unused.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const udp = createSocket('udp4', () => {
    datagrams += 1
  })
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve))
  const host = `127.0.0.1:${port}`
  return {
    origin: `http://${host}`,
    host,
    requests,
    get silent() {
      return unused.size
    },
    get datagrams() {
      return datagrams
    },
    async close() {
      server.closeAllConnections()
      udp.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
