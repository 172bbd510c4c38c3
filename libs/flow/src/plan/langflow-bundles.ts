/**
 * The bundles that Langflow and its packages ship, up to 1.13. Third parties publish bundles under other names: neither
 * the form of a type nor its `@official` tells theirs from Langflow's.
 */
export const langflowBundles: ReadonlySet<string> = new Set(
  `agentql aiml altk amazon anthropic apify arxiv assemblyai azure baidu bing cassandra chroma cleanlab clickhouse
  cloudflare codeagents cohere cometapi composio confluence confluent couchbase cuga datastax deepseek docling
  duckduckgo elastic empiriolabs exa faiss figranium firecrawl funasr git glean google groq homeassistant huggingface
  ibm icosacomputing jigsawstack langwatch litellm lmstudio maritalk mem0 microsoft milvus mistral mongodb mrscraper
  needle nextplaid notdiamond notion novita nvidia olivya ollama openai openrouter oracle orcarouter paddle perplexity
  pgvector pinecone plivo qdrant redis sambanova scrapegraph searchapi serpapi serpingapi serply slack spider supabase
  tavily toolguard twelvelabs unstructured upstash valkey vectara vertexai vllm vlmrun weaviate wikipedia wolframalpha
  xai yahoosearch youtube zep`.split(/\s+/),
);
