import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { redirectUri, user } from './login-site.ts'

/** How a site answers; delays in milliseconds. */
interface Pace {
  /** Of the page that is requested first. */
  readonly page?: number
  /** Of the answer to a password or a cancelled login. */
  readonly answer?: number
}

export interface SlowSite {
  readonly host: string
  /** Method and path of every request, in order. */
  readonly log: string[]
  /** An authorization request whose login page is one of `pages`. */
  authorize(page: string, state: string, pace?: Pace): URL
  /** Where the request with this state ends when the login is right, or cancelled. */
  landing(state: string, member?: 'code' | 'error'): string
  close(): Promise<void>
}

const fields = `<label>Email <input name="user"></label><label>Password <input name="password" type="password"></label>
  <button name="do" value="login">Sign in</button><button name="do" value="cancel">Cancel</button>`

/** Scripts that wait somehow, and then send the form as it was answered. */
const scripts: Readonly<Record<string, string>> = {
  timer: 'await new Promise((resolve) => setTimeout(resolve, wait)); send()',
  fading: `form.style.transition = 'opacity ' + wait + 'ms'; form.style.opacity = 0
    form.addEventListener('transitionend', send)`,
  animated:
    'await form.animate([{ opacity: 1 }, { opacity: 0 }], { duration: wait, fill: "forwards" }).finished; send()',
  // Nothing in the page shows that it waits.
  hidden: 'AbortSignal.timeout(wait).onabort = send',
}

function pageOf(name: string, action: string, wait: string): string {
  const form = `<form method="post" action="${action}">${fields}</form>`
  if (name === 'plain') return form
  const send =
    name === 'fetched'
      ? `const answer = await fetch(form.action, { method: 'POST', body })
         if (answer.ok) {
           const next = await answer.text()
           await form.animate({ opacity: 0 }, { duration: 600, fill: 'forwards' }).finished
           location.href = next
         }
         else form.insertAdjacentHTML('beforebegin', '<p>Wrong</p>')`
      : `${scripts[name]}`
  return `${form}<script>
    const form = document.forms[0], wait = ${wait}
    form.onsubmit = async (event) => {
      event.preventDefault()
      const body = new URLSearchParams(new FormData(form, event.submitter))
      const send = () => {
        for (const [name, value] of body) if (name === 'do') form.insertAdjacentHTML('beforeend', '<input type=hidden name=do value=' + value + '>')
        form.submit()
      }
      ${send}
    }
  </script>`
}

/** An identity provider that takes its time. */
export async function startSlowSite(): Promise<SlowSite> {
  const log: string[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://site')
    log.push(`${request.method} ${url.pathname}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const { page = '', state = '', slow = '0', wait = '0' } = Object.fromEntries(url.searchParams)
    await sleep(Number(slow))
    const answerSlow = url.searchParams.get('answer') ?? '0'
    const action = `/answer?${new URLSearchParams({ page, state, slow: answerSlow })}`
    if (url.pathname !== '/answer') return show(response, pageOf(page, action.replaceAll('&', '&amp;'), wait))
    const isRight = form.get('user') === user.name && form.get('password') === user.password
    const member = form.get('do') === 'cancel' ? 'error=access_denied' : `code=c-${state}`
    const location = `${redirectUri}?${member}&state=${state}`
    if (form.get('do') !== 'cancel' && !isRight) {
      response.statusCode = page === 'fetched' ? 401 : 200
      return show(response, page === 'fetched' ? 'no' : pageOf(page, action, wait))
    }
    if (page === 'fetched') return void response.end(location)
    response.writeHead(302, { location }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    log,
    authorize(page, state, { page: slow = 0, answer = 0 } = {}) {
      const members = { page, state, slow: `${slow}`, answer: `${answer}`, wait: `${answer}` }
      return new URL(`http://${host}/authorize?${new URLSearchParams(members)}`)
    },
    landing: (state, member = 'code') =>
      `${redirectUri}?${member === 'code' ? `code=c-${state}` : 'error=access_denied'}&state=${state}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function show(response: ServerResponse, body: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><html lang="en"><title>t</title><body>${body}</body></html>`)
}
