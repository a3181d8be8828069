import type { HttpRequest, HttpResponse } from '../http.ts'
import { type Pages, plainPages } from '../identity/pages.ts'

// 25 assets of a page, like a front end that is split into chunks.
const scripts = Array.from({ length: 12 }, (_, index) => `/assets/chunk-${index + 1}.js?v=3.2.1`)
const styles = Array.from({ length: 4 }, (_, index) => `/assets/theme-${index + 1}.css`)
const fonts = ['/assets/regular.woff2', '/assets/bold.woff2']
const images = Array.from({ length: 7 }, (_, index) => `/assets/picture-${index + 1}.svg`)

/** Code of the last chunk, which shows the template of the page. */
const lastChunk = "document.body.append(document.querySelector('template').content)"

/** Pages whose content the last of their scripts shows. */
export const pagesWithAssets: Pages = {
  login: (view) => assembled(plainPages.login(view)),
  code: (view) => assembled(plainPages.code(view)),
  consent: (view) => assembled(plainPages.consent(view)),
  account: plainPages.account,
}

function assembled(html: string): string {
  const head = [
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    ...fonts.map((href) => `<link rel="preload" as="font" crossorigin href="${href}">`),
    ...scripts.map((src) => `<script defer src="${src}"></script>`),
  ].join('\n')
  const pictures = images.map((src) => `<img alt="" src="${src}">`).join('')
  return html
    .replace('</head>', () => `${head}\n</head>`)
    .replace('<main>', () => `<template><main>${pictures}`)
    .replace('</main>', () => '</main></template>')
}

/** The response to a request for an asset; undefined for other requests. */
export function assetOf({ path }: HttpRequest): HttpResponse | undefined {
  if (!path.startsWith('/assets/')) return undefined
  const cached = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' }
  const answer = (type: string, body: string) => ({
    status: 200,
    headers: { 'content-type': type, ...cached },
    body,
  })
  if (path.endsWith('.css')) return answer('text/css', ':root { --space: 1rem }')
  if (path.endsWith('.svg')) return answer('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  if (path.endsWith('.woff2')) return answer('font/woff2', '')
  const isLast = path === scripts.at(-1)?.split('?')[0]
  return answer('text/javascript', isLast ? lastChunk : 'globalThis.chunks = (globalThis.chunks ?? 0) + 1')
}
