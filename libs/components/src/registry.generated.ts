// Generated from the component files: npm run generate -- registry
import type { Component } from '@millrace/flow';
import agent from './agents/agent';
import toolCallingAgent from './agents/tool-calling-agent';
import composioApi from './composio/composio-api';
import composioGmailApiComponent from './composio/composio-gmail-api-component';
import crewAiAgentComponent from './crews/crew-ai-agent-component';
import hierarchicalCrewComponent from './crews/hierarchical-crew-component';
import hierarchicalTaskComponent from './crews/hierarchical-task-component';
import sequentialCrewComponent from './crews/sequential-crew-component';
import sequentialTaskAgentComponent from './crews/sequential-task-agent-component';
import sequentialTaskComponent from './crews/sequential-task-component';
import alterMetadata from './data/alter-metadata';
import createList from './data/create-list';
import csvToData from './data/csv-to-data';
import dataOperations from './data/data-operations';
import extractKey from './data/extract-key';
import filterData from './data/filter-data';
import filterDataValues from './data/filter-data-values';
import jsonCleaner from './data/json-cleaner';
import jsonToData from './data/json-to-data';
import mergeDataComponent from './data/merge-data-component';
import parseJsonData from './data/parse-json-data';
import sqlAgent from './databases/sql-agent';
import sqlComponent from './databases/sql-component';
import aimlEmbeddings from './embeddings/aiml-embeddings';
import azureOpenAiEmbeddings from './embeddings/azure-open-ai-embeddings';
import cohereEmbeddings from './embeddings/cohere-embeddings';
import embeddingModel from './embeddings/embedding-model';
import embeddingSimilarityComponent from './embeddings/embedding-similarity-component';
import googleGenerativeAiEmbeddings from './embeddings/google-generative-ai-embeddings';
import huggingFaceInferenceApiEmbeddings from './embeddings/hugging-face-inference-api-embeddings';
import lmStudioEmbeddingsComponent from './embeddings/lm-studio-embeddings-component';
import mistralAiEmbeddings from './embeddings/mistral-ai-embeddings';
import nvidiaEmbeddingsComponent from './embeddings/nvidia-embeddings-component';
import ollamaEmbeddings from './embeddings/ollama-embeddings';
import openAiEmbeddings from './embeddings/open-ai-embeddings';
import textEmbedderComponent from './embeddings/text-embedder-component';
import watsonxEmbeddingsComponent from './embeddings/watsonx-embeddings-component';
import directory from './files/directory';
import file from './files/file';
import saveToFile from './files/save-to-file';
import yFinanceTool from './finance/y-finance-tool';
import yfinanceComponent from './finance/yfinance-component';
import conditionalRouter from './flow-control/conditional-router';
import dataConditionalRouter from './flow-control/data-conditional-router';
import listen from './flow-control/listen';
import loopComponent from './flow-control/loop-component';
import notify from './flow-control/notify';
import chatInput from './input-output/chat-input';
import chatOutput from './input-output/chat-output';
import textInput from './input-output/text-input';
import textOutput from './input-output/text-output';
import webhook from './input-output/webhook';
import aimlModel from './language-models/aiml-model';
import anthropicModel from './language-models/anthropic-model';
import azureOpenAiModel from './language-models/azure-open-ai-model';
import batchRunComponent from './language-models/batch-run-component';
import cohereModel from './language-models/cohere-model';
import deepSeekModelComponent from './language-models/deep-seek-model-component';
import googleGenerativeAiModel from './language-models/google-generative-ai-model';
import groqModel from './language-models/groq-model';
import huggingFaceModel from './language-models/hugging-face-model';
import ibmWatsonxModel from './language-models/ibm-watsonx-model';
import languageModelComponent from './language-models/language-model-component';
import litellmProxyModel from './language-models/litellm-proxy-model';
import lmStudioModel from './language-models/lm-studio-model';
import mistralModel from './language-models/mistral-model';
import novitaModel from './language-models/novita-model';
import nvidiaModelComponent from './language-models/nvidia-model-component';
import ollamaModel from './language-models/ollama-model';
import openAiModel from './language-models/open-ai-model';
import openRouterComponent from './language-models/open-router-component';
import perplexityModel from './language-models/perplexity-model';
import sambaNovaModel from './language-models/samba-nova-model';
import smartRouter from './language-models/smart-router';
import structuredOutput from './language-models/structured-output';
import vllmModel from './language-models/vllm-model';
import xaiModel from './language-models/xai-model';
import mcpTools from './mcp/mcp-tools';
import astraDbChatMemory from './memory/astra-db-chat-memory';
import memory from './memory/memory';
import redisChatMemory from './memory/redis-chat-memory';
import storeMessage from './memory/store-message';
import addContentToPage from './notion/add-content-to-page';
import notionDatabaseProperties from './notion/notion-database-properties';
import notionPageCreator from './notion/notion-page-creator';
import notionPageUpdate from './notion/notion-page-update';
import notionSearch from './notion/notion-search';
import notionUserList from './notion/notion-user-list';
import combineText from './processing/combine-text';
import createData from './processing/create-data';
import dataToDataFrame from './processing/data-to-data-frame';
import messageToData from './processing/message-to-data';
import operations from './processing/operations';
import outputParser from './processing/output-parser';
import parseData from './processing/parse-data';
import parseDataFrame from './processing/parse-data-frame';
import parserComponent from './processing/parser-component';
import selectData from './processing/select-data';
import typeConverterComponent from './processing/type-converter-component';
import updateData from './processing/update-data';
import prompt from './prompts/prompt';
import agentQl from './scraping/agent-ql';
import apifyActors from './scraping/apify-actors';
import firecrawlCrawlApi from './scraping/firecrawl-crawl-api';
import firecrawlScrapeApi from './scraping/firecrawl-scrape-api';
import scrapeGraphSearchApi from './scraping/scrape-graph-search-api';
import javascriptFunction from './scripts/javascript-function';
import arxiv from './search/arxiv';
import duckDuckGoSearchComponent from './search/duck-duck-go-search-component';
import exaSearch from './search/exa-search';
import googleSearchApiCore from './search/google-search-api-core';
import googleSerperApiCore from './search/google-serper-api-core';
import needle from './search/needle';
import newsSearch from './search/news-search';
import rssReaderSimple from './search/rss-reader-simple';
import searchComponent from './search/search-component';
import serp from './search/serp';
import tavilyExtractComponent from './search/tavily-extract-component';
import tavilySearchComponent from './search/tavily-search-component';
import unifiedWebSearch from './search/unified-web-search';
import webSearchNoApi from './search/web-search-no-api';
import wikidataComponent from './search/wikidata-component';
import wikipediaComponent from './search/wikipedia-component';
import assemblyAiGetSubtitles from './speech/assembly-ai-get-subtitles';
import assemblyAiLeMur from './speech/assembly-ai-le-mur';
import assemblyAiListTranscripts from './speech/assembly-ai-list-transcripts';
import assemblyAiTranscriber from './speech/assembly-ai-transcriber';
import assemblyAiTranscriptionJobCreator from './speech/assembly-ai-transcription-job-creator';
import assemblyAiTranscriptionJobPoller from './speech/assembly-ai-transcription-job-poller';
import flowTool from './sub-flows/flow-tool';
import listFlows from './sub-flows/list-flows';
import runFlow from './sub-flows/run-flow';
import subFlow from './sub-flows/sub-flow';
import dataFrameOperations from './tables/data-frame-operations';
import characterTextSplitter from './text/character-text-splitter';
import recursiveCharacterTextSplitter from './text/recursive-character-text-splitter';
import regexExtractorComponent from './text/regex-extractor-component';
import splitText from './text/split-text';
import textOperations from './text/text-operations';
import calculatorComponent from './utilities/calculator-component';
import calculatorTool from './utilities/calculator-tool';
import currentDate from './utilities/current-date';
import idGenerator from './utilities/id-generator';
import pass from './utilities/pass';
import astraDb from './vector-stores/astra-db';
import astraDbCqlTool from './vector-stores/astra-db-cql-tool';
import astraDbToolComponent from './vector-stores/astra-db-tool-component';
import chroma from './vector-stores/chroma';
import faiss from './vector-stores/faiss';
import knowledge from './vector-stores/knowledge';
import localDb from './vector-stores/local-db';
import memoryBase from './vector-stores/memory-base';
import milvus from './vector-stores/milvus';
import pgvector from './vector-stores/pgvector';
import pinecone from './vector-stores/pinecone';
import qdrantVectorStoreComponent from './vector-stores/qdrant-vector-store-component';
import supabaseVectorStore from './vector-stores/supabase-vector-store';
import weaviate from './vector-stores/weaviate';
import youtubeTranscripts from './video/youtube-transcripts';
import apiRequest from './web/api-request';
import urlComponent from './web/url-component';

export const components: readonly Component[] = [
  agent,
  toolCallingAgent,
  composioApi,
  composioGmailApiComponent,
  crewAiAgentComponent,
  hierarchicalCrewComponent,
  hierarchicalTaskComponent,
  sequentialCrewComponent,
  sequentialTaskAgentComponent,
  sequentialTaskComponent,
  alterMetadata,
  createList,
  csvToData,
  dataOperations,
  extractKey,
  filterData,
  filterDataValues,
  jsonCleaner,
  jsonToData,
  mergeDataComponent,
  parseJsonData,
  sqlAgent,
  sqlComponent,
  aimlEmbeddings,
  azureOpenAiEmbeddings,
  cohereEmbeddings,
  embeddingModel,
  embeddingSimilarityComponent,
  googleGenerativeAiEmbeddings,
  huggingFaceInferenceApiEmbeddings,
  lmStudioEmbeddingsComponent,
  mistralAiEmbeddings,
  nvidiaEmbeddingsComponent,
  ollamaEmbeddings,
  openAiEmbeddings,
  textEmbedderComponent,
  watsonxEmbeddingsComponent,
  directory,
  file,
  saveToFile,
  yFinanceTool,
  yfinanceComponent,
  conditionalRouter,
  dataConditionalRouter,
  listen,
  loopComponent,
  notify,
  chatInput,
  chatOutput,
  textInput,
  textOutput,
  webhook,
  aimlModel,
  anthropicModel,
  azureOpenAiModel,
  batchRunComponent,
  cohereModel,
  deepSeekModelComponent,
  googleGenerativeAiModel,
  groqModel,
  huggingFaceModel,
  ibmWatsonxModel,
  languageModelComponent,
  litellmProxyModel,
  lmStudioModel,
  mistralModel,
  novitaModel,
  nvidiaModelComponent,
  ollamaModel,
  openAiModel,
  openRouterComponent,
  perplexityModel,
  sambaNovaModel,
  smartRouter,
  structuredOutput,
  vllmModel,
  xaiModel,
  mcpTools,
  astraDbChatMemory,
  memory,
  redisChatMemory,
  storeMessage,
  addContentToPage,
  notionDatabaseProperties,
  notionPageCreator,
  notionPageUpdate,
  notionSearch,
  notionUserList,
  combineText,
  createData,
  dataToDataFrame,
  messageToData,
  operations,
  outputParser,
  parseData,
  parseDataFrame,
  parserComponent,
  selectData,
  typeConverterComponent,
  updateData,
  prompt,
  agentQl,
  apifyActors,
  firecrawlCrawlApi,
  firecrawlScrapeApi,
  scrapeGraphSearchApi,
  javascriptFunction,
  arxiv,
  duckDuckGoSearchComponent,
  exaSearch,
  googleSearchApiCore,
  googleSerperApiCore,
  needle,
  newsSearch,
  rssReaderSimple,
  searchComponent,
  serp,
  tavilyExtractComponent,
  tavilySearchComponent,
  unifiedWebSearch,
  webSearchNoApi,
  wikidataComponent,
  wikipediaComponent,
  assemblyAiGetSubtitles,
  assemblyAiLeMur,
  assemblyAiListTranscripts,
  assemblyAiTranscriber,
  assemblyAiTranscriptionJobCreator,
  assemblyAiTranscriptionJobPoller,
  flowTool,
  listFlows,
  runFlow,
  subFlow,
  dataFrameOperations,
  characterTextSplitter,
  recursiveCharacterTextSplitter,
  regexExtractorComponent,
  splitText,
  textOperations,
  calculatorComponent,
  calculatorTool,
  currentDate,
  idGenerator,
  pass,
  astraDb,
  astraDbCqlTool,
  astraDbToolComponent,
  chroma,
  faiss,
  knowledge,
  localDb,
  memoryBase,
  milvus,
  pgvector,
  pinecone,
  qdrantVectorStoreComponent,
  supabaseVectorStore,
  weaviate,
  youtubeTranscripts,
  apiRequest,
  urlComponent,
];
