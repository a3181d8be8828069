import { escapeMarkup } from '../text/markup.ts'

/**
 * The viewer: a page in the engineer's own browser. It shows the login page, and sends input to the login page.
 * @param task instruction for the engineer, in one or two sentences
 */
export function viewerPage(nonce: string, task: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Plumbline: record a login</title>
<style nonce="${nonce}">
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: #222; color: #fff }
header { display: flex; gap: .25rem 1rem; align-items: center; padding: .25rem 1rem; flex-wrap: wrap }
#address { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
#status, #task { flex-basis: 100%; margin: 0; font-size: 14px; line-height: 1.35 }
.ended { display: grid; place-content: center; min-height: 100vh; background: #fff; color: #222; text-align: center }
.ended #status { font-size: 20px }
#page { display: block; max-width: 100%; background: #fff; cursor: default }
#keys { position: fixed; opacity: 0; width: 1px; height: 1px; pointer-events: none }
#keys:focus ~ #page { outline: 3px solid #93b4ff }
button { font: inherit; padding: .2rem .8rem }
</style></head>
<body><header><strong id="address">…</strong><button id="stop">Stop recording</button>
<p id="task">${escapeMarkup(task)} The recording ends when the login returns to the application.</p>
<span id="status" role="status">Connecting…</span></header>
<textarea id="keys" aria-label="Keys for the login page" autocomplete="off" autocapitalize="off" spellcheck="false" autofocus></textarea>
<img id="page" alt="The login page, as the browser on the other machine shows it">
<script nonce="${nonce}">${script}</script></body></html>
`
}

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T

// The functions below run in the engineer's browser. They can use only each other and `find`.

function view(): void {
  const size = { width: 1, height: 1 }
  const send = sender()
  showFrames(size)
  sendMouse(send, ({ offsetX, offsetY, target }) => ({
    x: (offsetX * size.width) / (target as HTMLElement).clientWidth,
    y: (offsetY * size.height) / (target as HTMLElement).clientHeight,
  }))
  sendKeys(send)
  find('stop').addEventListener('click', () => send({ did: 'stop' }))
}

/** @param size `showFrames` sets it to the size of the login page, in pixels, with each frame */
function showFrames(size: { width: number; height: number }): void {
  const frames = new EventSource('frames')
  frames.onmessage = ({ data }) => {
    const { image, width, height, address, ended } = JSON.parse(data)
    if (ended !== undefined) {
      frames.close()
      find('status').textContent = ended
      for (const id of ['stop', 'task', 'address', 'page']) find(id).remove()
      document.body.className = 'ended'
      return
    }
    Object.assign(size, { width, height })
    find<HTMLImageElement>('page').src = `data:image/jpeg;base64,${image}`
    find('address').textContent = address
    find('status').textContent = 'Click and type in the page. Open lists with the arrow keys.'
  }
  frames.onerror = () => {
    find('status').textContent = 'No connection: is the tunnel open?'
  }
}

/** Returns a function that sends events in order, with one request at a time. */
function sender(): (event: object) => void {
  let waiting: object[] = []
  let isSending = false
  const sendAll = async () => {
    isSending = true
    while (waiting.length > 0) {
      const body = JSON.stringify(waiting)
      waiting = []
      const headers = { 'content-type': 'application/json' }
      await fetch('input', { method: 'POST', headers, body }).catch(() => undefined)
    }
    isSending = false
  }
  return (event) => {
    waiting.push(event)
    if (!isSending) void sendAll()
  }
}

function sendMouse(send: (event: object) => void, at: (event: MouseEvent) => object): void {
  const page = find('page')
  page.addEventListener('mousedown', (event) => {
    event.preventDefault()
    find('keys').focus()
    send({ did: 'down', ...at(event) })
  })
  page.addEventListener('mouseup', (event) => send({ did: 'up', ...at(event) }))
  const wheel = (event: WheelEvent) => {
    event.preventDefault()
    send({ did: 'wheel', x: event.deltaX, y: event.deltaY })
  }
  page.addEventListener('wheel', wheel, { passive: false })
}

function sendKeys(send: (event: object) => void): void {
  // A text field receives the keys, so that dead keys, input methods and pasting work as usual.
  const keys = find<HTMLTextAreaElement>('keys')
  const sendText = () => {
    if (keys.value !== '') send({ did: 'text', text: keys.value })
    keys.value = ''
  }
  keys.addEventListener('input', (event) => {
    if (!(event as InputEvent).isComposing) sendText()
  })
  keys.addEventListener('compositionend', sendText)
  keys.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey, isComposing } = event
    const isCommand = (ctrlKey || metaKey) && !event.getModifierState('AltGraph')
    const isText = [...key].length === 1 && !isCommand
    const isOfInputMethod = isComposing || ['Dead', 'Process', 'Unidentified'].includes(key)
    if (isText || isOfInputMethod || (isCommand && key.toLowerCase() === 'v')) return
    event.preventDefault()
    send({ did: 'key', key, control: isCommand, shift: shiftKey, alt: altKey })
  })
}

const script = `const find = ${find}; ${[view, showFrames, sender, sendMouse, sendKeys].join('\n')} view()`
