import { describe, expect, test } from 'vitest'
import { targetFrom } from '../../src/target/config.ts'
import { problems, uat } from './example-variables.ts'

describe('the address of the webhook receiver', () => {
  test('is on this machine for the embedded target, and needs WEBHOOK_RECEIVER_URL for others', () => {
    const loopback = {
      ...uat,
      IDP_BASE_URL: 'http://127.0.0.1:4000',
      PARTNER_API_URL: 'http://127.0.0.1:4000',
    }
    expect(targetFrom('embedded', loopback).webhookReceiver).toEqual({})
    expect(targetFrom('uat', uat).webhookReceiver).toBeUndefined()
    const receiver = { WEBHOOK_RECEIVER_URL: 'https://hooks.example.com/x', WEBHOOK_RECEIVER_PORT: '8443' }
    expect(targetFrom('uat', { ...uat, ...receiver }).webhookReceiver).toEqual({
      url: 'https://hooks.example.com/x',
      port: 8443,
    })
  })

  test('is an https: address, and the control of the clock is on the target', () => {
    expect(problems({ ...uat, WEBHOOK_RECEIVER_URL: 'http://hooks.example.com' })).toMatchObject([
      { name: 'WEBHOOK_RECEIVER_URL', what: expect.stringContaining('https:') },
    ])
    expect(problems({ ...uat, WEBHOOK_RECEIVER_URL: 'https://hooks.example.com/?a=b' })).toHaveLength(1)
    expect(problems({ ...uat, WEBHOOK_RECEIVER_PORT: '65536' })).toHaveLength(1)
    expect(problems({ ...uat, WEBHOOK_CLOCK_URL: 'https://elsewhere.example.com/clock' })).toMatchObject([
      { name: 'WEBHOOK_CLOCK_URL', what: expect.stringContaining('elsewhere.example.com') },
    ])
    const clock = 'https://api.uat.example.com/test/clock'
    expect(targetFrom('uat', { ...uat, WEBHOOK_CLOCK_URL: clock }).webhookClockUrl).toBe(clock)
  })
})
