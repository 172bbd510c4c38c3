// Generated from the component files: npm run generate -- registry
import type { Component } from '@millrace/flow';
import agent from './agents/agent';
import toolCallingAgent from './agents/tool-calling-agent';
import composioApi from './composio/composio-api';
import composioGmail from './composio/composio-gmail';
import crewaiAgent from './crews/crewai-agent';
import hierarchicalCrew from './crews/hierarchical-crew';
import hierarchicalTask from './crews/hierarchical-task';
import sequentialCrew from './crews/sequential-crew';
import sequentialTask from './crews/sequential-task';
import sequentialTaskAgent from './crews/sequential-task-agent';
import alterMetadata from './data/alter-metadata';
import createList from './data/create-list';
import csvToData from './data/csv-to-data';
import dataOperations from './data/data-operations';
import extractKey from './data/extract-key';
import filterData from './data/filter-data';
import filterDataValues from './data/filter-data-values';
import jsonCleaner from './data/json-cleaner';
import jsonToData from './data/json-to-data';
import mergeData from './data/merge-data';
import parseJsonData from './data/parse-json-data';
import sqlAgent from './databases/sql-agent';
import sqlDatabase from './databases/sql-database';
import aimlEmbeddings from './embeddings/aiml-embeddings';
import azureOpenaiEmbeddings from './embeddings/azure-openai-embeddings';
import cohereEmbeddings from './embeddings/cohere-embeddings';
import embeddingModel from './embeddings/embedding-model';
import embeddingSimilarity from './embeddings/embedding-similarity';
import googleEmbeddings from './embeddings/google-embeddings';
import huggingFaceEmbeddings from './embeddings/hugging-face-embeddings';
import lmStudioEmbeddings from './embeddings/lm-studio-embeddings';
import mistralEmbeddings from './embeddings/mistral-embeddings';
import nvidiaEmbeddings from './embeddings/nvidia-embeddings';
import ollamaEmbeddings from './embeddings/ollama-embeddings';
import openaiEmbeddings from './embeddings/openai-embeddings';
import textEmbedder from './embeddings/text-embedder';
import watsonxEmbeddings from './embeddings/watsonx-embeddings';
import directory from './files/directory';
import file from './files/file';
import saveToFile from './files/save-to-file';
import yfinance from './finance/yfinance';
import yfinanceTool from './finance/yfinance-tool';
import conditionalRouter from './flow-control/conditional-router';
import dataConditionalRouter from './flow-control/data-conditional-router';
import listen from './flow-control/listen';
import loop from './flow-control/loop';
import notify from './flow-control/notify';
import chatInput from './input-output/chat-input';
import chatOutput from './input-output/chat-output';
import textInput from './input-output/text-input';
import textOutput from './input-output/text-output';
import webhook from './input-output/webhook';
import aimlModel from './language-models/aiml-model';
import anthropicModel from './language-models/anthropic-model';
import azureOpenaiModel from './language-models/azure-openai-model';
import batchRun from './language-models/batch-run';
import cohereModel from './language-models/cohere-model';
import deepseekModel from './language-models/deepseek-model';
import googleModel from './language-models/google-model';
import groqModel from './language-models/groq-model';
import huggingFaceModel from './language-models/hugging-face-model';
import languageModel from './language-models/language-model';
import litellmProxyModel from './language-models/litellm-proxy-model';
import lmStudioModel from './language-models/lm-studio-model';
import mistralModel from './language-models/mistral-model';
import novitaModel from './language-models/novita-model';
import nvidiaModel from './language-models/nvidia-model';
import ollamaModel from './language-models/ollama-model';
import openaiModel from './language-models/openai-model';
import openrouterModel from './language-models/openrouter-model';
import perplexityModel from './language-models/perplexity-model';
import sambanovaModel from './language-models/sambanova-model';
import smartRouter from './language-models/smart-router';
import structuredOutput from './language-models/structured-output';
import vllmModel from './language-models/vllm-model';
import watsonxModel from './language-models/watsonx-model';
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
import parser from './processing/parser';
import selectData from './processing/select-data';
import typeConverter from './processing/type-converter';
import updateData from './processing/update-data';
import prompt from './prompts/prompt';
import agentql from './scraping/agentql';
import apifyActors from './scraping/apify-actors';
import firecrawlCrawl from './scraping/firecrawl-crawl';
import firecrawlScrape from './scraping/firecrawl-scrape';
import scrapegraphSearch from './scraping/scrapegraph-search';
import javascriptFunction from './scripts/javascript-function';
import arxiv from './search/arxiv';
import duckduckgoSearch from './search/duckduckgo-search';
import duckduckgoWebSearch from './search/duckduckgo-web-search';
import exaSearch from './search/exa-search';
import googleSearch from './search/google-search';
import googleSerper from './search/google-serper';
import needle from './search/needle';
import newsSearch from './search/news-search';
import rssReader from './search/rss-reader';
import searchapi from './search/searchapi';
import serpapi from './search/serpapi';
import tavilyExtract from './search/tavily-extract';
import tavilySearch from './search/tavily-search';
import webSearch from './search/web-search';
import wikidata from './search/wikidata';
import wikipedia from './search/wikipedia';
import assemblyaiJobCreator from './speech/assemblyai-job-creator';
import assemblyaiJobPoller from './speech/assemblyai-job-poller';
import assemblyaiLemur from './speech/assemblyai-lemur';
import assemblyaiListTranscripts from './speech/assemblyai-list-transcripts';
import assemblyaiSubtitles from './speech/assemblyai-subtitles';
import assemblyaiTranscriber from './speech/assemblyai-transcriber';
import flowTool from './sub-flows/flow-tool';
import listFlows from './sub-flows/list-flows';
import runFlow from './sub-flows/run-flow';
import subFlow from './sub-flows/sub-flow';
import dataFrameOperations from './tables/data-frame-operations';
import characterTextSplitter from './text/character-text-splitter';
import recursiveCharacterTextSplitter from './text/recursive-character-text-splitter';
import regexExtractor from './text/regex-extractor';
import splitText from './text/split-text';
import textOperations from './text/text-operations';
import calculator from './utilities/calculator';
import calculatorTool from './utilities/calculator-tool';
import currentDate from './utilities/current-date';
import idGenerator from './utilities/id-generator';
import pass from './utilities/pass';
import astraDb from './vector-stores/astra-db';
import astraDbCqlTool from './vector-stores/astra-db-cql-tool';
import astraDbTool from './vector-stores/astra-db-tool';
import chroma from './vector-stores/chroma';
import faiss from './vector-stores/faiss';
import knowledge from './vector-stores/knowledge';
import localDb from './vector-stores/local-db';
import memoryBase from './vector-stores/memory-base';
import milvus from './vector-stores/milvus';
import pgvector from './vector-stores/pgvector';
import pinecone from './vector-stores/pinecone';
import qdrant from './vector-stores/qdrant';
import supabase from './vector-stores/supabase';
import weaviate from './vector-stores/weaviate';
import youtubeTranscripts from './video/youtube-transcripts';
import apiRequest from './web/api-request';
import url from './web/url';

export const components: readonly Component[] = [
  agent,
  toolCallingAgent,
  composioApi,
  composioGmail,
  crewaiAgent,
  hierarchicalCrew,
  hierarchicalTask,
  sequentialCrew,
  sequentialTask,
  sequentialTaskAgent,
  alterMetadata,
  createList,
  csvToData,
  dataOperations,
  extractKey,
  filterData,
  filterDataValues,
  jsonCleaner,
  jsonToData,
  mergeData,
  parseJsonData,
  sqlAgent,
  sqlDatabase,
  aimlEmbeddings,
  azureOpenaiEmbeddings,
  cohereEmbeddings,
  embeddingModel,
  embeddingSimilarity,
  googleEmbeddings,
  huggingFaceEmbeddings,
  lmStudioEmbeddings,
  mistralEmbeddings,
  nvidiaEmbeddings,
  ollamaEmbeddings,
  openaiEmbeddings,
  textEmbedder,
  watsonxEmbeddings,
  directory,
  file,
  saveToFile,
  yfinance,
  yfinanceTool,
  conditionalRouter,
  dataConditionalRouter,
  listen,
  loop,
  notify,
  chatInput,
  chatOutput,
  textInput,
  textOutput,
  webhook,
  aimlModel,
  anthropicModel,
  azureOpenaiModel,
  batchRun,
  cohereModel,
  deepseekModel,
  googleModel,
  groqModel,
  huggingFaceModel,
  languageModel,
  litellmProxyModel,
  lmStudioModel,
  mistralModel,
  novitaModel,
  nvidiaModel,
  ollamaModel,
  openaiModel,
  openrouterModel,
  perplexityModel,
  sambanovaModel,
  smartRouter,
  structuredOutput,
  vllmModel,
  watsonxModel,
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
  parser,
  selectData,
  typeConverter,
  updateData,
  prompt,
  agentql,
  apifyActors,
  firecrawlCrawl,
  firecrawlScrape,
  scrapegraphSearch,
  javascriptFunction,
  arxiv,
  duckduckgoSearch,
  duckduckgoWebSearch,
  exaSearch,
  googleSearch,
  googleSerper,
  needle,
  newsSearch,
  rssReader,
  searchapi,
  serpapi,
  tavilyExtract,
  tavilySearch,
  webSearch,
  wikidata,
  wikipedia,
  assemblyaiJobCreator,
  assemblyaiJobPoller,
  assemblyaiLemur,
  assemblyaiListTranscripts,
  assemblyaiSubtitles,
  assemblyaiTranscriber,
  flowTool,
  listFlows,
  runFlow,
  subFlow,
  dataFrameOperations,
  characterTextSplitter,
  recursiveCharacterTextSplitter,
  regexExtractor,
  splitText,
  textOperations,
  calculator,
  calculatorTool,
  currentDate,
  idGenerator,
  pass,
  astraDb,
  astraDbCqlTool,
  astraDbTool,
  chroma,
  faiss,
  knowledge,
  localDb,
  memoryBase,
  milvus,
  pgvector,
  pinecone,
  qdrant,
  supabase,
  weaviate,
  youtubeTranscripts,
  apiRequest,
  url,
];
