/** Sent to pages made for people, which turn away what does not say who it is. */
export const browserHeaders = { 'user-agent': 'Mozilla/5.0 (compatible; Millrace/1.0)' } as const;
