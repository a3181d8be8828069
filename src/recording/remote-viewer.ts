import { escapeMarkup } from '../text/markup.ts'

/**
 * Where the engineer's own browser shows the login page and passes on what is typed and pressed there.
 * @param task what the engineer has to do, in one or two sentences
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
<script nonce="${nonce}">(${viewer})()</script></body></html>
`
}

/** Runs in the engineer's browser, so it uses nothing from outside itself. */
function viewer(): void {
  const find = (id: string) => document.getElementById(id) as HTMLElement
  const page = find('page') as HTMLImageElement
  // Takes what is typed, so that dead keys, input methods and pasting work as usual.
  const keys = find('keys') as HTMLTextAreaElement
  const size = { width: 1, height: 1 }

  const frames = new EventSource('frames')
  frames.onmessage = ({ data }) => {
    const { image, width, height, address, ended } = JSON.parse(data)
    if (ended !== undefined) {
      frames.close()
      find('status').textContent = ended
      find('stop').remove()
      find('task').remove()
      find('address').remove()
      page.remove()
      document.body.className = 'ended'
      return
    }
    Object.assign(size, { width, height })
    page.src = `data:image/jpeg;base64,${image}`
    find('address').textContent = address
    find('status').textContent = 'Click and type in the page. Open lists with the arrow keys.'
  }
  frames.onerror = () => {
    find('status').textContent = 'No connection: is the tunnel open?'
  }

  // One request at a time, so that what is typed arrives in order.
  let waiting: object[] = []
  let isSending = false
  const send = async (...events: readonly object[]) => {
    waiting.push(...events)
    if (isSending) return
    isSending = true
    while (waiting.length > 0) {
      const body = JSON.stringify(waiting)
      waiting = []
      await fetch('input', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(
        () => undefined,
      )
    }
    isSending = false
  }

  const at = ({ offsetX, offsetY }: MouseEvent) => ({
    x: (offsetX * size.width) / page.clientWidth,
    y: (offsetY * size.height) / page.clientHeight,
  })
  page.addEventListener('mousedown', (event) => {
    event.preventDefault()
    keys.focus()
    send({ did: 'down', ...at(event) })
  })
  page.addEventListener('mouseup', (event) => void send({ did: 'up', ...at(event) }))
  page.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      send({ did: 'wheel', x: event.deltaX, y: event.deltaY })
    },
    { passive: false },
  )
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
  find('stop').addEventListener('click', () => void send({ did: 'stop' }))
}
