import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, stepCountIs, wrapLanguageModel } from 'ai';
import * as ai7 from 'ai-7';
import * as anthropic4 from 'ai-sdk-anthropic-4';
import * as google4 from 'ai-sdk-google-4';
import * as openai4 from 'ai-sdk-openai-4';

/** What the tests call of a version of the AI SDK and its providers. */
const SDK_6 = {
  createAnthropic,
  createGoogleGenerativeAI,
  createOpenAI,
  APICallError,
  generateText,
  stepCountIs,
  wrapLanguageModel,
};

export type Sdk = typeof SDK_6;
export type SdkVersion = 6 | 7;

/**
 * Version 7 by the types of version 6, so that one suite runs with both; that the bridge fits the types of either is
 * checked where its package is installed beside them (packages/cli/src/packaging/).
 */
const SDK_7 = {
  createAnthropic: anthropic4.createAnthropic,
  createGoogleGenerativeAI: google4.createGoogleGenerativeAI,
  createOpenAI: openai4.createOpenAI,
  APICallError: ai7.APICallError,
  generateText: ai7.generateText,
  stepCountIs: ai7.stepCountIs,
  wrapLanguageModel: ai7.wrapLanguageModel,
} as unknown as Sdk;

export const sdkOf = (version: SdkVersion): Sdk => (version === 6 ? SDK_6 : SDK_7);
