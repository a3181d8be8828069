/**
 * Removes from a document and its workers the features that send packets outside the browser's HTTP stack or after the
 * page is closed, and obey no content security policy. Workers are loaded from text, so that they obey the policy of their
 * document.
 */
function removeFeatures(): void {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'SharedWorker'])
    Reflect.deleteProperty(globalThis, name)
  Reflect.deleteProperty(globalThis.ServiceWorkerContainer?.prototype ?? {}, 'register')

  // Scripts of the page could replace these later.
  const { Worker: native, XMLHttpRequest, Blob, URL } = globalThis
  const { apply, construct } = Reflect
  // Requests that outlive their page would leave uncounted when it is closed.
  globalThis.fetch = new Proxy(globalThis.fetch, {
    apply: (target, self, [input, init]) => apply(target, self, [input, { ...init, keepalive: false }]),
  })
  if (globalThis.Navigator) Navigator.prototype.sendBeacon = () => true

  const prefix = `(${removeFeatures})();`
  if (!native) return
  const replaced = new Proxy(native, {
    construct(target, [address, ...options], caller) {
      const request = new XMLHttpRequest()
      request.open('GET', address, false)
      request.send()
      const script = new Blob([prefix, request.responseText], { type: 'text/javascript' })
      return construct(target, [URL.createObjectURL(script), ...options], caller)
    },
  })
  native.prototype.constructor = replaced
  globalThis.Worker = replaced
}

/** A script for each document, to run before those of the page. */
export const removalScript = `(${removeFeatures})()`
