//! Instant answers: JSON whose types are not stable, read for what there is.

use super::ZeroClick;
use serde_json::Value;
use std::{error, fmt};

/// The provider's answer to an [`InstantQuery`](crate::InstantQuery). For most texts [it is blank](Self::is_blank).
/// Feature `json`.
///
/// Its texts are not the provider's own: `source` says whose they are.
///
/// ```
/// use search_gate::{InstantAnswer, InstantKind};
///
/// let json = br#"{"Type": "A", "Heading": "Tower Bridge", "AbstractText": "A bridge.", "ImageWidth": "", "Infobox": ""}"#;
/// let answer = InstantAnswer::read(json)?;
/// assert_eq!(answer.kind, InstantKind::Article);
/// assert_eq!(answer.text.as_deref(), Some("A bridge."));
/// # Ok::<(), search_gate::InstantError>(())
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstantAnswer {
    /// What the answer is about.
    pub kind: InstantKind,
    /// The name of what it is about.
    pub heading: Option<String>,
    /// The first lines of an article about it.
    pub text: Option<String>,
    /// Whose text it is, as `Wikipedia`.
    pub source: Option<String>,
    /// The article.
    pub url: Option<String>,
    /// A picture.
    pub image: Option<String>,
    /// The result of a calculation, a conversion and the like.
    pub answer: Option<String>,
    /// What kind of `answer` it is, as `calc`. With `ip` it is about the machine that asked.
    pub answer_type: Option<String>,
    /// A dictionary's definition.
    pub definition: Option<String>,
    /// Where a bang in the text would lead.
    pub redirect: Option<String>,
    /// The official site, if there is one.
    pub results: Vec<Topic>,
    /// Related topics; for a disambiguation, the meanings.
    pub topics: Vec<Topic>,
}

/// What an instant answer is about.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum InstantKind {
    /// One thing, of which there is an article: `A`.
    Article,
    /// A word of several meanings: `D`.
    Disambiguation,
    /// A category of things: `C`.
    Category,
    /// A name: `N`.
    Name,
    /// A calculation, a conversion, a redirect: `E`.
    Exclusive,
    /// Nothing, or a kind that this crate does not know.
    #[default]
    Other,
}

/// A topic in an instant answer.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topic {
    /// A line about it.
    pub text: String,
    /// Where it leads: http or https, the provider's own pages as a rule.
    pub url: String,
    /// The heading that it stands under, if it stands under one.
    pub group: Option<String>,
}

/// An answer that is no instant answer.
#[derive(Debug)]
pub struct InstantError {
    source: Option<serde_json::Error>,
}

/// Topics that are read at most: the provider was seen to give under 100.
const MAX_TOPICS: usize = 1000;

impl InstantAnswer {
    /// Reads the body of an answer. What is missing, or of another type than it should be, is left out.
    ///
    /// # Errors
    ///
    /// When it is not a JSON object.
    pub fn read(bytes: &[u8]) -> Result<Self, InstantError> {
        let json: Value = serde_json::from_slice(bytes).map_err(|error| InstantError {
            source: Some(error),
        })?;
        if !json.is_object() {
            return Err(InstantError { source: None });
        }
        let text = |name: &str| Some(collapsed(json[name].as_str()?)).filter(|s| !s.is_empty());
        let url = |name: &str| web_url(json[name].as_str()?);
        let mut results = Vec::new();
        topics(&json["Results"], None, &mut results);
        let mut related = Vec::new();
        topics(&json["RelatedTopics"], None, &mut related);
        Ok(Self {
            kind: match json["Type"].as_str() {
                Some("A") => InstantKind::Article,
                Some("D") => InstantKind::Disambiguation,
                Some("C") => InstantKind::Category,
                Some("N") => InstantKind::Name,
                Some("E") => InstantKind::Exclusive,
                _ => InstantKind::Other,
            },
            heading: text("Heading"),
            text: text("AbstractText"),
            source: text("AbstractSource"),
            url: url("AbstractURL"),
            image: url("Image"),
            answer: text("Answer"),
            answer_type: text("AnswerType"),
            definition: text("Definition"),
            redirect: url("Redirect"),
            results,
            topics: related,
        })
    }

    /// Whether the provider has nothing to say.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.text.is_none()
            && self.answer.is_none()
            && self.definition.is_none()
            && self.redirect.is_none()
            && self.results.is_empty()
            && self.topics.is_empty()
    }

    /// The answer as the box above a page's results; `None` if it has no text. What is about the machine that asked is left out.
    #[must_use]
    pub fn into_zero_click(self) -> Option<ZeroClick> {
        let own = matches!(self.answer_type.as_deref(), Some("ip" | "user_agent"));
        let answer = self.answer.filter(|_| !own);
        Some(ZeroClick {
            text: self.text.or(answer).or(self.definition)?,
            heading: self.heading,
            source: self.source,
            url: self.url,
            image: self.image,
        })
    }
}

/// The topics of a list, those in its groups among them. Groups stand in no groups.
fn topics(list: &Value, group: Option<&str>, into: &mut Vec<Topic>) {
    for topic in list.as_array().into_iter().flatten() {
        if into.len() == MAX_TOPICS {
            return;
        }
        if group.is_none() && topic["Topics"].is_array() {
            let name = topic["Name"].as_str().unwrap_or_default();
            topics(&topic["Topics"], Some(name), into);
        } else if let Some(url) = topic["FirstURL"].as_str().and_then(web_url) {
            into.push(Topic {
                text: collapsed(topic["Text"].as_str().unwrap_or_default()),
                url,
                group: group.map(str::to_owned),
            });
        }
    }
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An address of the web. The provider gives those of its own as paths.
fn web_url(text: &str) -> Option<String> {
    let base = url::Url::parse("https://duckduckgo.com/").ok()?;
    let url = base.join(text.trim()).ok()?;
    let given = !text.trim().is_empty();
    (given && matches!(url.scheme(), "http" | "https")).then(|| url.into())
}

impl fmt::Display for InstantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Some(_) => f.write_str("the answer is not JSON"),
            None => f.write_str("the answer is JSON, but no object"),
        }
    }
}

impl error::Error for InstantError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
