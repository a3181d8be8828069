import type { Answer } from './counting-server.ts'

const form =
  '<form method="post"><input name="user"><input type="password" name="password"><button>Sign in</button></form>'
const chunk = Buffer.alloc(64 * 1024, 'x')
const chunkOfScript = Buffer.from(`/* ${'x'.repeat(64 * 1024)} */\n`)

const script = (statements: string) => `<p>Wait</p><script>${statements}</script>`

/** Pages that exhaust the memory of the page, the browser or Plumbline. `ENDLESS` and `HUGE` are special bodies. */
export const memoryStorms: Readonly<Record<string, string>> = {
  'an endless page': 'ENDLESS',
  'a page of 3 GB': 'HUGE',
  'an endless script': '<script src="/endless.js"></script>',
  'an endless image': `${form}<img src="/endless.png">`,
  'an endless fetch': script("fetch('/endless.js').then((found) => found.text())"),
  'many large scripts': '<script src="/large.js"></script>'.repeat(40),
  strings: script(
    "const all = []; setInterval(() => { for (let n = 0; n < 200; n += 1) all.push('x'.repeat(1e5) + Math.random()) }, 1)",
  ),
  'objects in a loop that never ends': script('const all = []; for (;;) all.push({ a: [1, 2, 3] })'),
  // Appends text while it fills memory: without changes, the page would count as settled on a slow machine.
  buffers: script(
    "const all = []; setInterval(() => { const b = new Uint8Array(5e7); b.fill(1); all.push(b); document.body.append('.') }, 5)",
  ),
  elements: script(
    "setInterval(() => { for (let n = 0; n < 20000; n += 1) document.body.append(document.createElement('div')) }, 1)",
  ),
  'elements in each other': script(
    "let at = document.body; setInterval(() => { for (let n = 0; n < 2000; n += 1) at = at.appendChild(document.createElement('div')) }, 1)",
  ),
  text: script(
    "setInterval(() => { document.body.insertAdjacentHTML('beforeend', '<p>' + 'x'.repeat(1e6)) }, 1)",
  ),
  blobs: script('const all = []; setInterval(() => { all.push(new Blob([new Uint8Array(2e7)])) }, 5)'),
  canvases: script(
    "setInterval(() => { const c = document.createElement('canvas'); c.width = c.height = 4000; c.getContext('2d').fillRect(0, 0, 4000, 4000); document.body.append(c) }, 5)",
  ),
  storage: script(
    "let n = 0; setInterval(() => { try { localStorage.setItem('k' + n++, 'x'.repeat(1e6)) } catch {} }, 1); const open = indexedDB.open('d'); open.onupgradeneeded = () => open.result.createObjectStore('s'); open.onsuccess = () => setInterval(() => { open.result.transaction('s', 'readwrite').objectStore('s').put(new Uint8Array(1e7), Math.random()) }, 5)",
  ),
  caches: script(
    "caches.open('c').then((c) => setInterval(() => c.put('/x' + Math.random(), new Response(new Uint8Array(1e7))), 5))",
  ),
  history: script("setInterval(() => { history.pushState('x'.repeat(1e6), '', '#' + Math.random()) }, 1)"),
  'console messages': script(
    "setInterval(() => { for (let n = 0; n < 50; n += 1) console.log('x'.repeat(1e6) + n) }, 1)",
  ),
  'console messages of objects': script(
    'setInterval(() => { for (let n = 0; n < 1000; n += 1) console.log({ n, a: [n] }) }, 1)',
  ),
  exceptions: script(
    "setInterval(() => { for (let n = 0; n < 50; n += 1) setTimeout(() => { throw new Error('x'.repeat(1e6) + n) }) }, 1)",
  ),
  dialogs: script("setInterval(() => alert('x'.repeat(1e6)), 1)"),
  frames: script(
    "setInterval(() => { for (let n = 0; n < 20; n += 1) document.body.append(document.createElement('iframe')) }, 1)",
  ),
  titles: script("setInterval(() => { document.title = 'x'.repeat(1e6) + Math.random() }, 1)"),
  cookies: script("setInterval(() => { document.cookie = 'c' + Math.random() + '=' + 'x'.repeat(4000) }, 1)"),
  'data: addresses': script(
    "setInterval(() => { new Image().src = 'data:image/png;base64,' + 'A'.repeat(2e6) + Math.random() }, 1)",
  ),
  'rejected requests': script(
    "setInterval(() => { for (let n = 0; n < 200; n += 1) fetch('https://x.invalid/' + 'x'.repeat(1e5) + n).catch(() => {}) }, 1)",
  ),
  'posted bodies': script(
    "setInterval(() => { for (let n = 0; n < 5; n += 1) fetch('/post', { method: 'POST', body: 'x'.repeat(1e7) }).catch(() => {}) }, 1)",
  ),
}

/** Serves the page of a memory storm at `/storm`, and the endless files that it requests. */
export function answerMemoryStorm(storm: string): Answer {
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const endless = (type: string, part: Buffer, most = Number.POSITIVE_INFINITY) => {
      response.setHeader('content-type', type)
      let sent = 0
      const write = () => {
        while (sent < most && !response.destroyed) {
          sent += part.length
          if (!response.write(part)) return
        }
        if (!response.destroyed) response.end()
      }
      response.on('drain', write)
      write()
    }
    if (pathname === '/endless.js') return endless('text/javascript', chunkOfScript)
    if (pathname === '/endless.png') return endless('image/png', chunk)
    if (pathname === '/large.js') return endless('text/javascript', chunkOfScript, 4e6)
    if (pathname !== '/storm') return response.writeHead(404).end()
    if (storm === 'ENDLESS') return endless('text/html', chunk)
    if (storm === 'HUGE') response.setHeader('content-length', 3e9)
    if (storm === 'HUGE') return endless('text/html', chunk, 3e9)
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>t</title>${storm}`)
  }
}
