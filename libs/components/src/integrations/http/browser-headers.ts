/** Headers for pages made for browsers, which reject requests without a user agent. */
export const browserHeaders = { 'user-agent': 'Mozilla/5.0 (compatible; Millrace/1.0)' } as const;
