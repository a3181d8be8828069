/** The clean provider, and variants with slow or scripted pages. The verdicts are the same on all of them. */
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
