import { launchSiegeBrowser, visit } from './hostile-browsing.ts'
import { answerStorm, requestStorms } from './request-storms.ts'
import type { Attempt, Subject } from './subject.ts'

/** Pages that send requests with every feature of a browser, with a random small budget. */
export async function requests(): Promise<Subject> {
  const browser = await launchSiegeBrowser()
  const attempt = async (storm: string): Promise<Attempt> => {
    const requestBudget = 1 + Math.floor(Math.random() * 40)
    const { server, counted } = await visit(browser, answerStorm(storm), { requestBudget })
    const sent = server.requests.length
    const isCounted = sent > 0 && sent <= counted && counted <= requestBudget
    // The connection of a counted request can stay silent: another connection became free first, or the page ended.
    const held = isCounted && server.datagrams === 0 && server.silent < counted
    return {
      held,
      measured: `${sent} sent, ${counted} counted of ${requestBudget}, ${server.datagrams} datagrams, ${server.silent} silent connections`,
    }
  }
  return {
    name: 'requests',
    promise: 'A page sends at most the requests of the budget.',
    method: 'A server counts requests, upgrades and datagrams of a page that sends as many as it can.',
    attempts: new Map(Object.entries(requestStorms).map(([name, storm]) => [name, () => attempt(storm)])),
    close: () => browser.close(),
  }
}
