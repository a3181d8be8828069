/**
 * What fields and buttons of login pages are recognised by, in English, German, French, Spanish, Italian, Portuguese,
 * Dutch, the Scandinavian languages and Finnish: matched without case against names, ids, labels and texts.
 */
export const keywords = {
  /** Names and labels of the field for the user. */
  user: /user|login|e-?mail|account|identifi|member|benutzer|nutzer|kennung|anmelde|konto|kunden|utilisateur|usuario|usuário|utente|correo|courriel|gebruiker|användar|bruker|bruger|käyttäjä|tunnus|sähköposti/iu,
  /** Names and labels of the field for a one-time password. */
  totp: /otp|one[- _]?time|two[- _]?factor|2fa|mfa|passcode|token|authenticator|verification|security code|sicherheitscode|einmal|bestätigungscode|code à usage|vérification|verificación|verifica|verificação|verificatie|engångs|engangs|kertakäyttö|vahvistuskoodi/iu,
  /** Buttons that send a login form. */
  submit:
    /^[^\p{L}\p{N}]*(?:sign[ -]?(?:in|on)|log[ -]?(?:in|on)|continue|next|submit|verify|confirm|go|ok|enter|anmelden|einloggen|login|weiter|absenden|bestätigen|prüfen|se connecter|connexion|continuer|suivant|valider|iniciar|entrar|acceder|siguiente|continuar|verificar|accedi|avanti|continua|verifica|inloggen|aanmelden|volgende|doorgaan|logga in|nästa|fortsätt|log ind|logg inn|neste|næste|fortsæt|fortsett|kirjaudu|jatka|seuraava|vahvista)(?!\p{L})/iu,
  /** Buttons that sign in through another provider. */
  elsewhere: /\b(?:with|using|via|mit|über|avec|con|com|met|med)\b/iu,
  /** Buttons that give consent. */
  accept:
    /^[^\p{L}\p{N}]*(?:yes|allow|accept|authori[sz]e|approve|agree|i agree|grant|consent|continue|confirm|ja|zulassen|erlauben|akzeptieren|annehmen|zustimmen|einwilligen|einverstanden|genehmigen|bestätigen|freigeben|weiter|fortfahren|oui|autoriser|accepter|j’accepte|j'accepte|approuver|continuer|sí|permitir|aceptar|autorizar|aprobar|continuar|aceitar|sim|consenti|accetta|autorizza|approva|continua|toestaan|accepteren|akkoord|doorgaan|tillåt|godkänn|tillat|tillad|godta|godkend|fortsätt|fortsett|fortsæt|salli|hyväksy|kyllä|jatka)(?!\p{L})/iu,
  /** Buttons and links that cancel a login or refuse consent. */
  cancel:
    /^[^\p{L}\p{N}]*(?:cancel|abort|no|deny|decline|refuse|reject|disallow|don['’]t allow|do not allow|back to (?:the )?app|return to (?:the )?app|abbrechen|abbruch|ablehnen|verweigern|nicht zulassen|nein|annuler|refuser|rejeter|non|cancelar|denegar|rechazar|recusar|negar|não|annulla|rifiuta|nega|annuleren|weigeren|afwijzen|nee|avbryt|avbryd|neka|avvis|afvis|nej|nei|peruuta|keskeytä|estä|hylkää|ei)(?!\p{L})/iu,
  /** What turns a button that continues into one that gives nothing: "continue without sharing". */
  without: /\b(?:without|ohne|sans|sin|senza|sem|zonder|utan|uden|uten|ilman|not now|later|später)\b/iu,
}
