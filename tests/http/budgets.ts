import { setTimeout as sleep } from 'node:timers/promises'
import { Budget, type BudgetOptions } from '../../src/http/budget.ts'

/** A budget; without a pace by default. */
export function budgetWith(options: Partial<BudgetOptions> = {}): Budget {
  return new Budget({
    hosts: ['idp.example', 'api.example:8443', '127.0.0.1:80'],
    requestsPerSecond: Number.POSITIVE_INFINITY,
    requestBudget: 100,
    loginBudget: 2,
    ...options,
  })
}

/** Whether a promise is still pending after some milliseconds. */
export async function waits(promise: Promise<unknown>, ms = 30): Promise<boolean> {
  promise.catch(() => undefined)
  return Promise.race([promise.then(() => false), sleep(ms).then(() => true)])
}

/** Now, in milliseconds since the epoch, on the clock of a budget. */
export const now = () => performance.timeOrigin + performance.now()
