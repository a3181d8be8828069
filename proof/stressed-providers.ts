/** The clean provider, and variants with the same verdicts whose pages take their time. */
export const stressedProviders = [
  'clean',
  'forms-answered-late',
  'scripts-answered-late',
  'pages-fade-out',
  'pages-fade-out-slowly',
  'cancellation-redirected-late',
  'login-by-script',
  'login-in-two-steps',
] as const
