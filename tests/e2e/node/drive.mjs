// Hold a headless Chromium, run the steps of each line of the input, and print what they return.
import { createInterface } from "node:readline";
import chromium from "@sparticuz/chromium";
import puppeteer from "puppeteer-core";

const browser = await puppeteer.launch({
  executablePath: await chromium.executablePath(),
  args: chromium.args,
  headless: "shell",
});
const page = await browser.newPage();
page.setDefaultTimeout(20_000);
const faults = [];
const requests = [];
page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
page.on("pageerror", (error) => faults.push(String(error)));
page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
page.on("request", (request) => requests.push(request.url()));

const Steps = (async () => {}).constructor;
for await (const line of createInterface({ input: process.stdin })) {
  const { steps, given } = JSON.parse(line);
  const names = { page, faults, requests, ...given };
  try {
    const result = await new Steps(...Object.keys(names), steps)(...Object.values(names));
    console.log(JSON.stringify({ result }));
  } catch (error) {
    console.log(JSON.stringify({ error: `${error.stack} ${faults}` }));
  }
}
await browser.close();
