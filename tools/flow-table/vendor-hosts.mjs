/** Hosts with models in OpenAI's protocol: they serve every path that ends in one of its endpoints. */
export const modelHosts = [
  'api.openai.com',
  'api.groq.com',
  'api.mistral.ai',
  'openrouter.ai',
  'api.deepseek.com',
  'api.x.ai',
  'integrate.api.nvidia.com',
  'api.sambanova.ai',
  'api.perplexity.ai',
  'api.aimlapi.com',
  'api.novita.ai',
  'api.cohere.ai',
  'router.huggingface.co',
  'models.table.test',
];

/**
 * The fakes of libs/components (see `loadFakes`) and the pattern of the hosts that each answers for; the first match
 * counts. `rewrite` replaces an author's path by the one that the fake has.
 * @type {readonly { readonly vendor: string, readonly host: RegExp, readonly rewrite?: [RegExp, string] }[]}
 */
export const vendorHosts = [
  { vendor: 'anthropic', host: /^api\.anthropic\.com$/ },
  { vendor: 'google', host: /^generativelanguage\.googleapis\.com$/ },
  { vendor: 'watsonx', host: /\.ml\.cloud\.ibm\.com$|^iam\.cloud\.ibm\.com$/ },
  { vendor: 'inference', host: /\.?huggingface\.co$/ },
  { vendor: 'cohere', host: /^api\.cohere\.(com|ai)$/ },
  { vendor: 'astra', host: /\.astra\.datastax\.com$/ },
  {
    vendor: 'pinecone',
    host: /\.pinecone\.io$/,
    rewrite: [/^\/indexes\/[^/?]+/, '/indexes/pets'],
  },
  { vendor: 'tavily', host: /^api\.tavily\.com$/ },
  { vendor: 'duck-duck-go', host: /(^|\.)duckduckgo\.com$/ },
  { vendor: 'wikimedia', host: /\.(wikipedia|wikidata)\.org$/ },
  { vendor: 'ar-xiv', host: /(^|\.)arxiv\.org$/ },
  { vendor: 'assembly-ai', host: /^api(\.eu)?\.assemblyai\.com$/ },
  { vendor: 'yahoo', host: /\.yahoo\.com$/ },
  { vendor: 'google-news', host: /^news\.google\.com$/ },
  { vendor: 'google-search', host: /^(www|customsearch)\.googleapis\.com$/ },
  { vendor: 'serp-api', host: /^serpapi\.com$/ },
  { vendor: 'serper', host: /^google\.serper\.dev$/ },
  { vendor: 'search-api', host: /\.searchapi\.io$/ },
  { vendor: 'exa', host: /^api\.(exa\.ai|metaphor\.systems)$/ },
  { vendor: 'scrape-graph', host: /\.scrapegraphai\.com$/ },
  { vendor: 'composio', host: /\.composio\.dev$/ },
  {
    vendor: 'apify',
    host: /^api\.apify\.com$/,
    rewrite: [/^\/v2\/acts\/[^/?]+/, '/v2/acts/apify~finder'],
  },
  { vendor: 'notion', host: /^api\.notion\.com$/ },
  { vendor: 'firecrawl', host: /\.firecrawl\.dev$/ },
  { vendor: 'agent-ql', host: /^api\.agentql\.com$/ },
  { vendor: 'needle', host: /\.needle(-ai)?\.(app|com)$/ },
  { vendor: 'mill', host: /^mcp\.table\.test$/ },
  { vendor: 'youtube', host: /(^|\.)youtube\.com$/ },
];

/** Hosts that components call although no flow names them. The last two are words that models use as addresses. */
export const implicitHosts = [
  ...[
    'api.anthropic.com',
    'generativelanguage.googleapis.com',
    'us-south.ml.cloud.ibm.com',
    'iam.cloud.ibm.com',
  ],
  ...['huggingface.co', 'api-inference.huggingface.co', 'api.cohere.com', 'api.astra.datastax.com'],
  ...[
    'table-us-east-2.apps.astra.datastax.com',
    'api.pinecone.io',
    'pets-abc.svc.aped.pinecone.io',
    'api.tavily.com',
  ],
  ...['duckduckgo.com', 'html.duckduckgo.com', 'lite.duckduckgo.com', 'en.wikipedia.org', 'www.wikidata.org'],
  ...['export.arxiv.org', 'api.assemblyai.com', 'query1.finance.yahoo.com', 'query2.finance.yahoo.com'],
  ...[
    'fc.yahoo.com',
    'finance.yahoo.com',
    'google.serper.dev',
    'www.searchapi.io',
    'serpapi.com',
    'api.exa.ai',
  ],
  ...[
    'api.metaphor.systems',
    'api.scrapegraphai.com',
    'backend.composio.dev',
    'api.apify.com',
    'api.agentql.com',
    'api.firecrawl.dev',
  ],
  ...[
    'needle-ai.com',
    'search.needle-ai.com',
    'www.youtube.com',
    'youtube.com',
    'news.google.com',
    'www.bing.com',
  ],
  ...[
    'www.googleapis.com',
    'oauth2.googleapis.com',
    'gmail.googleapis.com',
    'site.table.test',
    'mcp.table.test',
    'host.docker.internal',
  ],
  ...['mill', 'bread'],
];

/**
 * Ports of this machine that flows name, with the fake that answers requests other than those to endpoints of models.
 * @type {Readonly<Record<number, string>>}
 */
export const localPorts = {
  11434: 'models',
  1234: 'models',
  4000: 'models',
  8080: 'inference',
  6333: 'qdrant',
  8000: 'chroma',
  9200: 'open-search',
};
