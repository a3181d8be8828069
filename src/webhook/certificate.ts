export interface Certificate {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly cert: string
}

const dayMs = 24 * 3_600_000

/**
 * A self-signed certificate for the loopback addresses, valid for seven days. Each call generates a new key, which
 * never leaves the process.
 */
export async function loopbackCertificate(): Promise<Certificate> {
  // Imported on first use: the package loads about 200 files, which commands that only list checks do not need.
  const { generate } = await import('selfsigned')
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + 7 * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  return { key, cert }
}
