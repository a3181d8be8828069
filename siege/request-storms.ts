import type { Answer } from './counting-server.ts'

/** Number of requests that each storm tries to send, far above the budget. */
const times = 60

const repeat = (statement: string) => `for (let n = 0; n < ${times}; n += 1) { ${statement} }`
const guarded = (script: string) => `<script>try { ${script} } catch {}</script>`
const workerCode = `\`${repeat("fetch(self.origin + '/worker-fetch?' + n, { mode: 'no-cors' }).catch(() => {})")}\``
const inFrame = (script: string) =>
  `<iframe srcdoc="<script>${script.replaceAll('"', '&quot;')}</script>"></iframe>`

/** Pages that send requests with every feature of a browser. Each also shows a login form, like a lawful page. */
export const requestStorms: Readonly<Record<string, string>> = {
  fetch: guarded(repeat("fetch('/fetch?' + n).catch(() => {})")),
  'fetch with keepalive': guarded(
    repeat("fetch('/fetch?' + n, { keepalive: true, method: 'POST' }).catch(() => {})"),
  ),
  XMLHttpRequest: guarded(repeat("const x = new XMLHttpRequest(); x.open('GET', '/xhr?' + n); x.send()")),
  beacons: guarded(repeat("navigator.sendBeacon('/beacon?' + n)")),
  pings: `<a id="a" href="#x" ping="${Array.from({ length: times }, (_, n) => `/ping?${n}`).join(' ')}">x</a><script>document.getElementById('a').click()</script>`,
  'preflighted requests': guarded(
    repeat(
      "fetch(location.origin.replace('127.0.0.1', 'localhost') + '/cors?' + n, { method: 'PUT', headers: { 'x-a': 'b' } }).catch(() => {})",
    ),
  ),
  'redirected requests': guarded(repeat("fetch('/redirect/5?' + n).catch(() => {})")),
  images: guarded(repeat("new Image().src = '/image?' + n")),
  styles: `<style>${Array.from({ length: times }, (_, n) => `@import '/style?${n}';`).join('')}</style>`,
  fonts: `<style>${Array.from({ length: times }, (_, n) => `@font-face { font-family: f${n}; src: url(/font?${n}) } .f${n} { font-family: f${n} }`).join('')}</style>${Array.from({ length: times }, (_, n) => `<i class="f${n}">x</i>`).join('')}`,
  media: guarded(
    repeat("const v = document.createElement('video'); v.src = '/video?' + n; v.play().catch(() => {})"),
  ),
  modules: guarded(repeat("import('/module?' + n).catch(() => {})")),
  objects: guarded(
    repeat("const o = document.createElement('object'); o.data = '/object?' + n; document.body.append(o)"),
  ),
  frames: guarded(
    repeat("const f = document.createElement('iframe'); f.src = '/frame?' + n; document.body.append(f)"),
  ),
  'sandboxed frames': guarded(
    repeat(
      "const f = document.createElement('iframe'); f.sandbox = 'allow-scripts'; f.src = '/frame-storm?' + n; document.body.append(f)",
    ),
  ),
  'frames with a document of their own': inFrame(repeat("fetch('/fetch?' + n).catch(() => {})")),
  'data: frames': `<iframe src="data:text/html,${encodeURIComponent(`<script>${repeat("fetch('ORIGIN/fetch?' + n, { mode: 'no-cors' }).catch(() => {})")}</script>`)}"></iframe>`,
  'dedicated workers': guarded(`new Worker(URL.createObjectURL(new Blob([${workerCode}])))`),
  'dedicated workers of a script': guarded(repeat("new Worker('/worker.js?' + n)")),
  'workers of workers': guarded(
    `const inner = ${workerCode}; new Worker(URL.createObjectURL(new Blob(['new Worker(URL.createObjectURL(new Blob([' + JSON.stringify(inner) + '])))'])))`,
  ),
  'WebSocket of a worker': worker("new WebSocket(self.origin.replace('http', 'ws') + '/socket')"),
  'WebTransport of a worker': worker(
    "new WebTransport(self.origin.replace('http:', 'https:') + '/transport')",
  ),
  'shared workers of a worker': worker("new SharedWorker(self.origin + '/worker.js')"),
  'EventSource of a worker': worker("new EventSource(self.origin + '/events')"),
  'service workers by the prototype': guarded(
    "ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, '/worker.js')",
  ),
  'shared workers': guarded(`new SharedWorker(URL.createObjectURL(new Blob([${workerCode}])))`),
  'shared workers of a script': guarded(repeat("new SharedWorker('/worker.js?' + n)")),
  'service workers': guarded(
    repeat("navigator.serviceWorker.register('/worker.js?' + n, { scope: '/' + n }).catch(() => {})"),
  ),
  'service workers of a frame': inFrame(
    "parent.navigator.serviceWorker.register('/worker.js').catch(() => {}); navigator.serviceWorker.register('/worker.js').catch(() => {})",
  ),
  worklets: guarded(
    repeat(
      "CSS.paintWorklet.addModule('/worklet?' + n).catch(() => {}); new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule('/audio?' + n).catch(() => {})",
    ),
  ),
  WebSocket: guarded(repeat("new WebSocket(location.origin.replace('http', 'ws') + '/socket?' + n)")),
  WebSocketStream: guarded(
    repeat("new WebSocketStream(location.origin.replace('http', 'ws') + '/socket?' + n)"),
  ),
  EventSource: guarded(repeat("new EventSource('/events?' + n)")),
  WebTransport: guarded(
    repeat("new WebTransport(location.origin.replace('http:', 'https:') + '/transport?' + n)"),
  ),
  'WebTransport of a frame': guarded(
    `const f = document.createElement('iframe'); document.body.append(f); ${repeat("new f.contentWindow.WebTransport(location.origin.replace('http:', 'https:') + '/transport?' + n)")}`,
  ),
  WebRTC: guarded(webRtc('RTCPeerConnection')),
  'WebRTC of a frame': guarded(
    `const f = document.createElement('iframe'); document.body.append(f); ${webRtc('f.contentWindow.RTCPeerConnection')}`,
  ),
  prefetch: Array.from({ length: times }, (_, n) => `<link rel="prefetch" href="/prefetch?${n}">`).join(''),
  preload: Array.from(
    { length: times },
    (_, n) => `<link rel="preload" as="script" href="/preload?${n}">`,
  ).join(''),
  modulepreload: Array.from(
    { length: times },
    (_, n) => `<link rel="modulepreload" href="/preload?${n}">`,
  ).join(''),
  prerender: Array.from({ length: times }, (_, n) => `<link rel="prerender" href="/prerender?${n}">`).join(
    '',
  ),
  'speculation rules that prefetch': speculation('prefetch'),
  'speculation rules that prerender': speculation('prerender'),
  preconnect: '<link rel="preconnect" href="ORIGIN"><link rel="dns-prefetch" href="ORIGIN">'.repeat(times),
  icons: `${Array.from({ length: times }, (_, n) => `<link rel="icon" href="/icon?${n}">`).join('')}<link rel="manifest" href="/manifest">`,
  'pop-ups': guarded(repeat("open('/popup?' + n)")),
  'pop-ups of links': guarded(
    repeat(
      "const a = document.createElement('a'); a.target = '_blank'; a.href = '/popup?' + n; document.body.append(a); a.click()",
    ),
  ),
  'pop-ups of forms': guarded(
    repeat(
      "const f = document.createElement('form'); f.target = 'w' + n; f.method = 'post'; f.action = '/popup?' + n; document.body.append(f); f.submit()",
    ),
  ),
  downloads: guarded(
    repeat(
      "const a = document.createElement('a'); a.download = 'f'; a.href = '/download?' + n; document.body.append(a); a.click()",
    ),
  ),
  'downloads of frames': guarded(
    repeat("const f = document.createElement('iframe'); f.src = '/attachment?' + n; document.body.append(f)"),
  ),
  fetchLater: guarded(repeat("fetchLater('/later?' + n, { activateAfter: 0 })")),
  'background fetch': guarded(
    repeat("navigator.serviceWorker.ready.then((r) => r.backgroundFetch.fetch('f' + n, ['/bg?' + n]))"),
  ),
  'violation reports': `<meta http-equiv="content-security-policy" content="img-src 'none'; report-uri /report">${guarded(repeat("new Image().src = '/image?' + n"))}`,
  'reports of headers': guarded(repeat("new Image().src = '/blocked?' + n")),
  attribution: guarded(
    repeat("const i = new Image(); i.attributionSrc = '/attribution?' + n; document.body.append(i)"),
  ),
  'federated credentials': guarded(
    "navigator.credentials.get({ identity: { providers: [{ configURL: location.origin + '/fedcm.json', clientId: 'c' }] } }).catch(() => {})",
  ),
  'passkeys of another site': guarded(
    "navigator.credentials.get({ publicKey: { challenge: new Uint8Array(32), rpId: 'example.com' } }).catch(() => {})",
  ),
  'payment methods': guarded(
    "new PaymentRequest([{ supportedMethods: location.origin + '/pay' }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment().catch(() => {})",
  ),
  'refreshed frames': guarded(
    repeat("const f = document.createElement('iframe'); f.src = '/refresh?' + n; document.body.append(f)"),
  ),
  'a flood of navigations': guarded("setInterval(() => { location = '/storm?' + Math.random() }, 5)"),
  'a flood of history': guarded('for (let n = 0; n < 60; n += 1) { location.reload() }'),
  'requests while the page is left': guarded(
    `addEventListener('pagehide', () => { ${repeat("fetch('/leaving?' + n, { keepalive: true }); navigator.sendBeacon('/leaving?' + n)")} })`,
  ),
  'fenced frames': guarded(
    repeat(
      "const f = document.createElement('fencedframe'); document.body.append(f); f.config = new FencedFrameConfig('/fenced?' + n)",
    ),
  ),
  'shared storage': guarded(repeat("sharedStorage.worklet.addModule('/storage?' + n).catch(() => {})")),
  'interest groups': guarded(
    repeat(
      "navigator.joinAdInterestGroup({ name: 'g' + n, owner: location.origin, biddingLogicURL: location.origin + '/bid?' + n, ads: [{ renderURL: 'https://x.invalid/' }] }, 1000).catch(() => {})",
    ) +
      "; navigator.runAdAuction({ seller: location.origin, decisionLogicURL: location.origin + '/decide', interestGroupBuyers: [location.origin] }).catch(() => {})",
  ),
}

function worker(statement: string): string {
  return guarded(
    `new Worker(URL.createObjectURL(new Blob([\`${repeat(`try { ${statement} } catch {}`)}\`])))`,
  )
}

function webRtc(name: string): string {
  return repeat(
    `const p = new ${name}({ iceServers: [{ urls: ['stun:' + location.host, 'turn:' + location.host + '?transport=tcp', 'turn:' + location.host + '?transport=udp'], username: 'u', credential: 'c' }] }); p.createDataChannel('d'); p.createOffer().then((offer) => p.setLocalDescription(offer)); if (n > 10) break`,
  )
}

function speculation(action: string): string {
  const urls = Array.from({ length: times }, (_, n) => `/${action}?${n}`)
  return `<script type="speculationrules">${JSON.stringify({ [action]: [{ source: 'list', eagerness: 'immediate', urls }] })}</script>`
}

const form =
  '<form method="post" action="/login"><input name="user"><input type="password" name="password"><button>Sign in</button></form>'

/** Serves the document of a storm at `/storm`, and everything that its page requests. */
export function answerStorm(storm: string): Answer {
  return (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const page = (body: string) =>
      `<!doctype html><title>Sign in</title>${body.replaceAll('ORIGIN', url.origin)}`
    const headers: Record<string, string> = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*',
      'access-control-allow-methods': '*',
    }
    const send = (type: string, body: string, status = 200) =>
      response.writeHead(status, { ...headers, 'content-type': type }).end(body)
    if (url.pathname === '/storm') {
      response.setHeader('speculation-rules', '"/rules.json"')
      response.setHeader('link', '</early>; rel=preload; as=script')
      response.setHeader('reporting-endpoints', `default="${url.origin}/report"`)
      response.setHeader('permissions-policy', 'attribution-reporting=*')
      response.setHeader('supports-loading-mode', 'fenced-frame')
      if (storm === requestStorms['reports of headers'])
        response.setHeader('content-security-policy', "img-src 'none'; report-uri /report; report-to default")
      return send('text/html', page(form + storm))
    }
    if (url.pathname.startsWith('/redirect/')) {
      const hops = Number(url.pathname.slice('/redirect/'.length))
      const location = hops > 0 ? `/redirect/${hops - 1}${url.search}` : '/end'
      return response.writeHead(302, { ...headers, location }).end()
    }
    if (url.pathname === '/frame-storm') return send('text/html', page(requestStorms.fetch ?? ''))
    if (url.pathname === '/refresh')
      return send('text/html', `<meta http-equiv="refresh" content="0;url=/refresh?${Math.random()}">`)
    if (url.pathname === '/attachment') {
      response.setHeader('content-disposition', 'attachment; filename=f')
      return send('application/octet-stream', 'x')
    }
    if (url.pathname === '/rules.json')
      return send(
        'application/speculationrules+json',
        '{"prefetch":[{"source":"list","eagerness":"immediate","urls":["/rule"]}]}',
      )
    if (url.pathname === '/worker.js')
      return send('text/javascript', repeat("fetch('/worker-fetch?' + n).catch(() => {})"))
    if (url.pathname === '/events') return send('text/event-stream', 'retry: 1\n\n')
    if (/^\/(module|preload|early|worklet|audio)$/.test(url.pathname)) return send('text/javascript', '')
    send('text/html', page('x'))
  }
}
