import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly key: Buffer
  readonly cert: Buffer
}

/** Certificates for tests: of an authority that a run can trust, and self-signed ones. */
export interface Certificates extends Disposable {
  /** The PEM file of the authority. */
  readonly authority: string
  /** Issues a certificate of the authority for a host name. @param days validity; negative if it has expired */
  issue(name: string, days: number): Certificate
  /** Issues a self-signed certificate. */
  selfSigned(): Certificate
}

/** Creates an authority with OpenSSL. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-siege-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = ['-newkey', 'rsa:2048', '-nodes', '-keyout']
  const read = (name: string) => ({
    key: readFileSync(join(folder, `${name}.key`)),
    cert: readFileSync(join(folder, `${name}.pem`)),
  })
  openssl('req', '-x509', ...newKey, 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Siege', '-days', '2')
  return {
    authority: join(folder, 'ca.pem'),
    issue(name, days) {
      writeFileSync(join(folder, 'names'), `subjectAltName=DNS:${name}\n`)
      openssl('req', ...newKey, 'issued.key', '-out', 'issued.csr', '-subj', `/CN=${name}`)
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names']
      openssl('x509', '-req', '-in', 'issued.csr', ...by, '-days', String(days), '-out', 'issued.pem')
      return read('issued')
    },
    selfSigned() {
      const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
      openssl('req', '-x509', ...newKey, 'own.key', '-out', 'own.pem', ...names, '-days', '2')
      return read('own')
    },
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
