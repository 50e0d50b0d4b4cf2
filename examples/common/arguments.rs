//! What the examples take on the command line. `--help` or `-h` lists it; whatever else is given is told, with exit code 2.

use std::{env, ffi::OsString, fmt::Display, process};

use super::{eprintln, println};

/// What `--help` tells, and what else an example takes.
pub struct Usage {
    /// A sentence.
    pub does: &'static str,
    /// What it takes beside its options.
    pub words: &'static str,
    /// As `--live`, or `--pages N` for one that needs a value, and what it is for.
    pub options: &'static [(&'static str, &'static str)],
    /// What else there is to say.
    pub notes: &'static str,
}

/// What was given.
pub struct Arguments {
    options: Vec<(&'static str, String)>,
    pub words: Vec<OsString>,
}

impl Usage {
    /// Reads the command line.
    pub fn read(&self) -> Arguments {
        let (mut options, mut words) = (Vec::new(), Vec::new());
        let mut given = env::args_os().skip(1);
        while let Some(argument) = given.next() {
            let text = argument.to_string_lossy();
            match &*text {
                "--help" => self.tell(),
                "-h" if words.is_empty() => self.tell(),
                "--" => words.extend(given.by_ref()),
                option if option.starts_with("--") => {
                    options.push(self.option(option, &mut given));
                }
                // Further on it is a word to leave out, as in `tea -milk`.
                option if words.is_empty() && option.len() > 1 && option.starts_with('-') => self
                    .wrong(format!(
                        "there is no option {option}; if it is no option, put -- before it"
                    )),
                _ => words.push(argument),
            }
        }
        match words.first() {
            Some(word) if self.words.is_empty() => {
                self.wrong(format!("there is no use for {}", word.display()))
            }
            _ => Arguments { options, words },
        }
    }

    /// Ends the example for what is wrong with its arguments.
    pub fn wrong(&self, why: impl Display) -> ! {
        eprintln!("{why}\n{}", self.line());
        process::exit(2)
    }

    fn tell(&self) -> ! {
        println!("{}\n\n{}", self.does, self.line());
        for (option, does) in self
            .options
            .iter()
            .chain(&[("-h, --help", "show this help")])
        {
            println!("  {option:<20} {does}");
        }
        if !self.notes.is_empty() {
            println!("\n{}", self.notes);
        }
        process::exit(0)
    }

    fn line(&self) -> String {
        let options = self
            .options
            .iter()
            .map(|(option, _)| format!(" [{option}]"));
        let example = env!("CARGO_CRATE_NAME");
        let words = match self.words {
            "" => String::new(),
            words => format!(" {words}"),
        };
        let takes = options.collect::<String>() + &words;
        let dashes = if takes.is_empty() { "" } else { " --" };
        format!("usage: cargo run --example {example}{dashes}{takes}")
    }

    /// The option's name, and its value from behind a sign, as in `--pages=2`, or from the argument that follows.
    fn option(
        &self,
        given: &str,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> (&'static str, String) {
        let (name, joined) = match given.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (given, None),
        };
        let Some((name, needs_value)) = self.known(name) else {
            self.wrong(format!("there is no option {name}"));
        };
        if !needs_value {
            if joined.is_some() {
                self.wrong(format!("{name} takes no value"));
            }
            return (name, String::new());
        }
        let next = || {
            let next = rest.next()?.to_string_lossy().into_owned();
            if next.starts_with("--") {
                self.wrong(format!(
                    "{name} needs a value, and {next} looks like an option; if it is none, write {name}={next}"
                ));
            }
            Some(next)
        };
        match joined.or_else(next) {
            Some(value) if !value.is_empty() => (name, value),
            _ => self.wrong(format!("{name} needs a value")),
        }
    }

    /// The option of that name, and whether it needs a value.
    fn known(&self, given: &str) -> Option<(&'static str, bool)> {
        let mut names = self.options.iter().map(|(option, _)| {
            let (name, value) = option.split_once(' ').unwrap_or((option, ""));
            (name, !value.is_empty())
        });
        names.find(|(name, _)| *name == given)
    }
}

impl Arguments {
    pub fn has(&self, option: &str) -> bool {
        self.value(option).is_some()
    }

    /// What was given with an option, the last time that it was given.
    pub fn value(&self, option: &str) -> Option<&str> {
        let mut options = self.options.iter().rev();
        let found = options.find(|(name, _)| *name == option);
        found.map(|(_, value)| &**value)
    }

    /// What `read` makes of an option's value, if that was given; an error says what the option `takes`.
    pub fn read<T>(
        &self,
        option: &str,
        takes: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.value(option) else {
            return Ok(None);
        };
        let wrong = || format!("{option} takes {takes}, not `{value}`");
        read(value).map(Some).ok_or_else(wrong)
    }

    /// The words in one text, if there are any.
    pub fn text(&self) -> Option<String> {
        let words: Vec<_> = self
            .words
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}
