import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { z } from 'zod'
import { shownAddress } from '../evidence/allow-list.ts'
import { SetupError } from '../target/problem.ts'
import { viewerPage } from './remote-viewer.ts'

/** Maximum size of a request body, in bytes. */
const maxBytes = 64 * 1024
/** Maximum size of the picture, in pixels. */
const shownSize = { maxWidth: 1280, maxHeight: 960 }
const loopback = '127.0.0.1'

/**
 * Shows a page of a headless browser in the engineer's own browser, which reaches this machine through a tunnel. The
 * server listens only on loopback, under a secret address. It stores the last picture, but no input.
 */
export class RemoteScreen {
  readonly #server: Server
  readonly #path = `/${randomBytes(24).toString('base64url')}/`
  readonly #viewers = new Set<ServerResponse>()
  #page: Page | undefined
  #last: string | undefined
  /** Settles when all received inputs are repeated on the page. */
  #inputs: Promise<unknown> = Promise.resolve()
  readonly #task: string

  private constructor(task: string) {
    this.#task = task
    this.#server = createServer((request, response) => {
      this.#respond(request, response).catch(() => response.writeHead(400).end())
    })
  }

  /**
   * @param port 0 for any free port
   * @param task instruction for the engineer, which the viewer page shows
   * @throws {SetupError} if the port is in use
   */
  static async open(port: number, task: string): Promise<RemoteScreen> {
    const screen = new RemoteScreen(task)
    try {
      await once(screen.#server.listen(port, loopback), 'listening')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new SetupError({ name: '--remote', what: `cannot use port ${port} of this machine: ${code}` })
    }
    return screen
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://${loopback}:${this.port}${this.#path}`
  }

  async show(page: Page): Promise<void> {
    this.#page = page
    const session = await page.context().newCDPSession(page)
    session.on('Page.screencastFrame', ({ data: image, metadata, sessionId }) => {
      session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined)
      const { deviceWidth: width, deviceHeight: height } = metadata
      const [shown = ''] = page.url().split(/[?#]/, 1)
      this.#last = JSON.stringify({ image, width, height, address: shownAddress(shown) })
      this.#send(this.#last)
    })
    await session.send('Page.startScreencast', { format: 'jpeg', quality: 80, ...shownSize })
  }

  /** Ends the transmission, and shows a sentence instead of the page. */
  end(sentence: string): void {
    this.#page = undefined
    this.#last = JSON.stringify({ ended: sentence })
    this.#send(this.#last)
  }

  async close(): Promise<void> {
    for (const viewer of this.#viewers) viewer.end()
    this.#server.closeIdleConnections()
    const closed = new Promise((resolve) => this.#server.close(resolve))
    setTimeout(() => this.#server.closeAllConnections(), 500).unref()
    await closed
  }

  #send(message: string): void {
    for (const viewer of this.#viewers) viewer.write(`data: ${message}\n\n`)
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.url?.startsWith(this.#path) ? request.url.slice(this.#path.length) : '?'}`
    if (!isLocal(request)) response.writeHead(403).end()
    else if (route === 'GET ') this.#sendPage(response)
    else if (route === 'GET frames') this.#sendFrames(response)
    else if (route === 'POST input') await this.#receiveInput(request, response)
    else response.writeHead(404).end()
  }

  #sendPage(response: ServerResponse): void {
    const nonce = randomBytes(16).toString('base64')
    const policy = [
      ...["default-src 'none'", 'img-src data:', "connect-src 'self'", "frame-ancestors 'none'"],
      ...[`script-src 'nonce-${nonce}'`, `style-src 'nonce-${nonce}'`],
    ]
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    }
    response.writeHead(200, headers).end(viewerPage(nonce, this.#task))
  }

  #sendFrames(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    this.#viewers.add(response)
    response.once('close', () => this.#viewers.delete(response))
    if (this.#last !== undefined) response.write(`data: ${this.#last}\n\n`)
    else response.flushHeaders()
  }

  /** Responds after all inputs are repeated, so that the viewer sends the next inputs in order. */
  async #receiveInput(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new Error('too much input')
      chunks.push(chunk)
    }
    const inputs = inputsFrom(Buffer.concat(chunks).toString())
    for (const input of inputs)
      this.#inputs = this.#inputs.then(() => {
        // The page may be left or closed meanwhile.
        return this.#page && repeatInput(this.#page, input).catch(() => undefined)
      })
    await this.#inputs
    response.writeHead(204).end()
  }
}

/** Whether a request is addressed to loopback, and is not from a page of another host. */
function isLocal({ headers: { host, origin } }: IncomingMessage): boolean {
  const names = [`http://${host}`, ...(origin === undefined ? [] : [origin])].map(
    (url) => URL.parse(url)?.hostname,
  )
  return names.every((name) => name === loopback || name === 'localhost')
}

const point = { x: z.number(), y: z.number() }

const inputs = z
  .array(
    z.discriminatedUnion('did', [
      z.object({ did: z.enum(['down', 'up', 'wheel']), ...point }),
      z.object({ did: z.literal('text'), text: z.string().max(1000) }),
      z.object({
        did: z.literal('key'),
        key: z.string().max(20),
        control: z.boolean(),
        shift: z.boolean(),
        alt: z.boolean(),
      }),
      z.object({ did: z.literal('stop') }),
    ]),
  )
  .max(1000)

type Input = z.infer<typeof inputs>[number]

/** Keys without a character that are repeated on the page. Others, such as the function keys, are ignored. */
const namedKeys: ReadonlySet<string> = new Set([
  ...['Enter', 'Tab', 'Backspace', 'Delete', 'Escape', 'Home', 'End', 'PageUp', 'PageDown', 'Insert'],
  ...['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
])
/** Characters that are repeated on the page if the control key is pressed, as in Ctrl-C. */
const commands = /^[acxyz]$/i

/** @throws {Error} if the text is not a list of inputs; the message contains no part of the text */
function inputsFrom(text: string): readonly Input[] {
  try {
    return inputs.parse(JSON.parse(text))
  } catch {
    throw new Error('not a list of inputs')
  }
}

async function repeatInput(page: Page, input: Input): Promise<void> {
  switch (input.did) {
    case 'down':
      await page.mouse.move(input.x, input.y)
      return page.mouse.down()
    case 'up':
      await page.mouse.move(input.x, input.y)
      return page.mouse.up()
    case 'wheel':
      return page.mouse.wheel(input.x, input.y)
    case 'text':
      return page.keyboard.type(input.text)
    case 'key': {
      const { key, control, shift, alt } = input
      if (!namedKeys.has(key) && !(control && commands.test(key))) return
      const pressed = [control && 'Control', shift && 'Shift', alt && 'Alt', key].filter(Boolean)
      return page.keyboard.press(pressed.join('+'))
    }
    case 'stop':
      return page.close()
  }
}
