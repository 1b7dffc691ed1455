// Open a page in headless Chromium and print what it became there, as JSON.
import chromium from "@sparticuz/chromium";
import puppeteer from "puppeteer-core";

const browser = await puppeteer.launch({
  executablePath: await chromium.executablePath(),
  args: chromium.args,
  headless: "shell",
});
const page = await browser.newPage();
const faults = [];
const requests = [];
page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
page.on("pageerror", (error) => faults.push(String(error)));
page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`));
page.on("request", (request) => requests.push(request.url().slice(0, 40)));
await page.goto(process.argv[2], { waitUntil: "load" });
const seen = await page.evaluate(() => ({
  title: document.title,
  mode: document.compatMode,
  headings: [...document.querySelectorAll("h2")].map((each) => each.textContent),
  pictures: [...document.querySelectorAll("figure svg")].map((each) => each.clientWidth),
  wider: document.documentElement.scrollWidth - innerWidth,
  text: document.body.innerText,
}));
await page.click("#graph .node");
seen.life = await page.$eval("#life", (each) => each.innerText);
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
seen.dark = await page.evaluate(() => ({
  paper: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.querySelector("svg text")).fill,
}));
await page.setViewport({ width: 360, height: 740 });
seen.widerOnAPhone = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
console.log(JSON.stringify({ ...seen, faults, requests }));
await browser.close();
