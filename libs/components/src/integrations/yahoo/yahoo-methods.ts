/** The Yahoo source of a method: modules of a symbol's summary, or events or metadata of its price chart. */
export type YahooSource =
  { readonly modules: readonly string[] } | { readonly events: readonly string[] } | { readonly meta: true };

const modules = (...names: readonly string[]): YahooSource => ({ modules: names });
const events = (...names: readonly string[]): YahooSource => ({ events: names });

/** All methods except news, by their names in flow files. */
export const yahooMethods: Readonly<Record<string, YahooSource>> = {
  get_info: modules(
    'quoteType',
    'assetProfile',
    'summaryDetail',
    'defaultKeyStatistics',
    'financialData',
    'price',
  ),
  get_actions: events('dividends', 'splits', 'capitalGains'),
  get_analysis: modules('earningsTrend'),
  get_balance_sheet: modules('balanceSheetHistory'),
  get_calendar: modules('calendarEvents'),
  get_cashflow: modules('cashflowStatementHistory'),
  get_institutional_holders: modules('institutionOwnership'),
  get_recommendations: modules('recommendationTrend'),
  get_sustainability: modules('esgScores'),
  get_major_holders: modules('majorHoldersBreakdown'),
  get_mutualfund_holders: modules('fundOwnership'),
  get_insider_purchases: modules('netSharePurchaseActivity'),
  get_insider_transactions: modules('insiderTransactions'),
  get_insider_roster_holders: modules('insiderHolders'),
  get_dividends: events('dividends'),
  get_capital_gains: events('capitalGains'),
  get_splits: events('splits'),
  get_shares: modules('defaultKeyStatistics'),
  get_fast_info: { meta: true },
  get_sec_filings: modules('secFilings'),
  get_recommendations_summary: modules('recommendationTrend'),
  get_upgrades_downgrades: modules('upgradeDowngradeHistory'),
  get_earnings: modules('earnings'),
  get_income_stmt: modules('incomeStatementHistory'),
};
