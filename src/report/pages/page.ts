import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { palette } from '../../chart/palette.ts'
import type { RunResults } from '../../results/results.ts'
import { budgetUsed, endedEarly, runFacts, selectionParts, verdicts } from '../../results/text.ts'
import { counted, minuteOf } from '../../text/format.ts'
import { badge } from './components.ts'
import { type Content, Html, html, prose } from './html.ts'

export const pages = {
  'index.html': 'Overview',
  'requirements.html': 'Requirements',
  'checks.html': 'Checks',
  'faults.html': 'Faults',
  'history.html': 'History',
} as const

export type PageName = keyof typeof pages

const read = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')

/**
 * A page that loads nothing: its content security policy accepts only its own style and script.
 * @param heading replaces the title and the facts of the run at the top of the page
 */
export function page(name: PageName, results: RunResults, body: Content, heading?: Html): string {
  const style = `${variables()}${read('style.css')}${read('tables.css')}${read('overview.css')}`
  const script = read('filters.js')
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `style-src ${hashSource(style)}`,
    `script-src ${hashSource(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const title = pages[name]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: Plumbline ${results.run.target} ${minuteOf(results.run.startedAt)}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
${navigation(name)}
${heading ?? html`<h1>${title}</h1>${facts(results)}`}
</header>
<main id="main" tabindex="-1">
${body}
</main>
<script type="module">${new Html(script)}</script>
</body>
</html>
`.markup
}

export function navigation(current: PageName): Html {
  const links = Object.entries(pages).map(
    ([name, title]) =>
      html`<li><a href="${name}"${name === current ? html` aria-current="page"` : ''}>${title}</a></li>`,
  )
  return html`<nav aria-label="Pages of the report"><ul>${links}</ul></nav>`
}

function facts(results: RunResults): Html {
  const { run, totals } = results
  const counts = verdicts
    .filter((verdict) => totals[verdict] > 0)
    .map(
      (verdict) =>
        html`<li><a href="requirements.html#verdict=${verdict}">${totals[verdict]} ${badge(verdict)}</a></li>`,
    )
  return html`<p>${prose(`${runFacts(run)}, run ${run.id}; ${budgetUsed(results)}.`)}</p>
${run.completed ? '' : html`<p class="warning">${endedEarly}</p>`}
${selected(results)}
<ul class="counts" aria-label="Requirements by verdict"><li>${counted(results.requirements.length, 'requirement')}:</li>${counts}</ul>`
}

function selected({ run: { selection } }: RunResults): Content {
  const parts = selectionParts(selection)
  return parts.length === 0
    ? ''
    : html`<p>${prose(`Only ${parts.join(', ')} ${parts.length === 1 ? 'was' : 'were'} selected; other requirements were not checked.`)}</p>`
}

/** The colours as CSS variables, for light and dark schemes. */
function variables(): string {
  const declarations = (index: 0 | 1) =>
    Object.entries(palette)
      .map(([name, colours]) => `--${name}:${colours[index]};`)
      .join('')
  return `:root{${declarations(0)}}@media (prefers-color-scheme:dark){:root{${declarations(1)}}}`
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
