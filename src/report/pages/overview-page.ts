import { endedEarly, verdicts } from '../../results/text.ts'
import { capitalized, counted } from '../../text/format.ts'
import { headings, type NotChecked, notesText, type Overview, stateAndBasis } from '../overview.ts'
import type { ProbeChart } from '../probe-charts.ts'
import { areaMatrix, budgetBars } from './area-matrix.ts'
import { badge, commandCode, reasonItem, requirementLinks } from './components.ts'
import { type Content, type Html, html, prose } from './html.ts'
import { driftSection, inconclusiveSection, violatedSection } from './overview-sections.ts'
import { page } from './page.ts'

/** The first page: the answer, then measurements, violated and inconclusive requirements, drift, figures and notes. */
export function overviewPage(overview: Overview, charts: readonly ProbeChart[]): string {
  const { results } = overview
  const body = [
    measured(charts),
    html`<div class="overview">
<div class="findings">
${violatedSection(overview)}
${inconclusiveSection(overview)}
${driftSection(overview)}
</div>
<section class="numbers" id="numbers"><h2>${headings.numbers}</h2>
${areaMatrix(results)}
${budgetBars(results)}
<p class="quiet">${overview.size.requirements}; ${overview.size.checks}.</p>
</section>
<div class="rest">
${notes(overview)}
${notCheckedPart(overview.notChecked)}
${partlyCheckedPart(overview.notChecked)}
</div>
</div>`,
  ]
  return page('index.html', results, body, hero(overview))
}

function hero({ answer, facts, drift, changedText, notChecked, results: { run, totals } }: Overview): Html {
  const { tone, question, notice, sentence, lead = '', needed, offByDefault: off } = answer
  const stateAndBasisText = stateAndBasis(answer)
  const tiles = verdicts.map((verdict) => {
    const count = totals[verdict]
    const content = html`<strong>${count}</strong> ${badge(verdict)}`
    const anchor =
      verdict === 'fail'
        ? '#violated'
        : verdict === 'inconclusive'
          ? '#inconclusive'
          : `requirements.html#verdict=${verdict}`
    return html`<li>${count === 0 ? html`<span class="tile">${content}</span>` : html`<a class="tile" href="${anchor}">${content}</a>`}</li>`
  })
  return html`<div class="hero tone-${tone}">
<p class="question">${question}</p>
${notice && html`<p class="notice">${prose(notice)}</p>`}
<h1>${lead}<span class="reason">${prose(sentence.slice(lead.length))}</span></h1>
${off && html`<p>${prose(off.text)} ${commandCode(off.command)}</p>`}
${stateAndBasisText === '' ? '' : html`<p>${prose(stateAndBasisText)}</p>`}
${needed && html`<p>${prose(needed.text)} ${commandCode(needed.command)}</p>`}
${notChecked.text === undefined ? '' : html`<p>${headings.notChecked}: ${notChecked.text}; <a href="#reasons">see why</a>.</p>`}
${run.kind === 'probe' ? '' : html`<p>${drift ? html`<a href="#drift">${changedText}</a>` : changedText}</p>`}
<p class="quiet">${prose(`${facts}.`)}</p>
${run.completed ? '' : html`<p class="warning">${endedEarly}</p>`}
<ul class="tiles" aria-label="Requirements by verdict">${tiles}</ul>
</div>`
}

function measured(charts: readonly ProbeChart[]): Content {
  if (charts.length === 0) return ''
  const figures = charts.map(
    ({ name, findings, ...sources }) => html`<figure class="probe">
<figcaption><h3 class="probe-name">${prose(name)}</h3>${findings.map((text) => html`<p class="probe-finding">${prose(capitalized(text))}</p>`)}</figcaption>
${chartPicture(sources, `Chart of ${name}`, findings.join(' '))}
</figure>`,
  )
  return html`<section class="measured" id="measured"><h2>${headings.measured}</h2>
${figures}</section>`
}

/** A narrow page shows the narrow chart. Without a narrow chart, the wide chart scrolls sideways. */
function chartPicture(
  { source, narrowSource }: Pick<ProbeChart, 'source' | 'narrowSource'>,
  label: string,
  findings: string,
): Html {
  if (source === undefined) return html`<p class="warning">The chart cannot be read.</p>`
  const image = html`<img src="${source}" alt="${label}: requests, 429 responses and latency over time. ${findings}">`
  return narrowSource === undefined
    ? html`<div class="wide chart" role="region" aria-label="${label}" tabindex="0">${image}</div>`
    : html`<picture><source media="screen and (max-width: 48rem)" srcset="${narrowSource}">${image}</picture>`
}

function notes(overview: Overview): Content {
  const { notes: all } = overview
  if (all.length === 0) return ''
  return html`<details class="part" id="notes"><summary><h2>${headings.notes}</h2> ${notesText(overview)}</summary>
<ul>${all.map(({ id, text }) => html`<li>${requirementLinks([id])}: ${prose(text)}</li>`)}</ul></details>`
}

function notCheckedPart({ text, count, levels, planCommand, listCommand }: NotChecked): Content {
  if (text === undefined) return ''
  const command = (introduction: string, one: string | undefined) =>
    one === undefined ? '' : html`<p>${introduction} ${commandCode(one)}</p>`
  return html`<details class="part" id="not-checked"><summary><h2>${headings.notChecked}</h2> ${counted(count, 'requirement')}</summary>
<div id="reasons">
${levels.map(
  ({ title, notApplicable, withoutCheck }) =>
    html`<h3>${title}</h3><ul>${[...notApplicable, ...withoutCheck].map(reasonItem)}</ul>
`,
)}${command('To list these reasons by check for the next run:', planCommand)}
${command('To list the requirements without a check in a terminal:', listCommand)}
</div></details>`
}

function partlyCheckedPart({ inPart: { text, reasons } }: NotChecked): Content {
  if (text === undefined) return ''
  return html`<details class="part" id="partly-checked"><summary><h2>${headings.partlyChecked}</h2> ${text}</summary>
<p>The reasons for the checks that were not applicable:</p>
<ul>${reasons.map(reasonItem)}</ul></details>`
}
