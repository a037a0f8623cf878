// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Reading files that may be anything. Every access states what it expects; whatever differs
/// is thrown as a Rejection, a private type that the room's public functions turn into
/// bad_input. No allocation is made for a size that the file merely claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"

#include "element_type.hpp"
#include "enumeration.hpp"
#include "hdf5_handle.hpp"

namespace prismllm::store {

/// What is wrong with a file and where in it; caught before it leaves the room.
class Rejection : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void reject(fmt::format_string<Args...> text, Args&&... args) {
    throw Rejection{fmt::format(text, std::forward<Args>(args)...)};
}

/// How many bytes a file may still make us allocate.
class Allowance {
public:
    explicit Allowance(std::uint64_t file_bytes);
    /// Throws a Rejection naming `where` when the file asks for more than it can hold.
    void take(std::uint64_t count, std::uint64_t element_bytes, const std::string& where);

private:
    std::uint64_t left_bytes_;
};

class GroupReader {
public:
    GroupReader(Handle group, std::string path, std::shared_ptr<Allowance> allowance)
        : group_{std::move(group)}, path_{std::move(path)}, allowance_{std::move(allowance)} {}

    [[nodiscard]] bool has_attribute(const char* name) const;
    [[nodiscard]] std::int64_t integer(const char* name) const;
    [[nodiscard]] double number(const char* name) const;
    [[nodiscard]] std::string text(const char* name) const;

    /// Length of a dimension.
    [[nodiscard]] std::size_t size_of(const std::string& dimension) const;
    /// Dataset of exactly this element type and shape.
    template <Element T>
    [[nodiscard]] std::vector<T> column(const std::string& name,
                                        const std::vector<std::size_t>& shape) const {
        const Handle dataset = open(name, element_type<T>(), shape);
        std::size_t count = 1;
        for (const auto size : shape) {
            count *= size;
        }
        std::vector<T> values(count);
        read(dataset, name, element_type<T>(), values.data(), count);
        return values;
    }
    /// uint8 dataset whose values are all enumerators of E.
    template <class E>
    [[nodiscard]] std::vector<E> enumeration(const std::string& name, std::size_t count) const {
        const auto stored = column<std::uint8_t>(name, {count});  // checks the size too
        std::vector<E> values;
        values.reserve(count);
        for (const auto value : stored) {
            if (value >= enumeration_size<E>) {
                reject("dataset '{}' holds the value {} (only {} are known)", where(name), value,
                       enumeration_size<E>);
            }
            values.push_back(static_cast<E>(value));
        }
        return values;
    }
    /// CSR offsets of `rows` rows into `entries` entries: from 0, never falling, to the end.
    [[nodiscard]] std::vector<std::int64_t> offsets(const std::string& name, std::size_t rows,
                                                    std::size_t entries) const;
    [[nodiscard]] std::vector<std::string> strings(const std::string& name,
                                                   std::size_t count) const;
    /// Number of texts stored by strings() under this name.
    [[nodiscard]] std::size_t string_count(const std::string& name) const;

    [[nodiscard]] std::string where(const std::string& name) const;
    [[nodiscard]] Allowance& allowance() const { return *allowance_; }

private:
    [[nodiscard]] Handle attribute(const char* name, H5T_class_t type_class) const;
    [[nodiscard]] Handle open(const std::string& name, const ElementType& type,
                              const std::vector<std::size_t>& shape) const;
    [[nodiscard]] Handle open_dataset(const std::string& name) const;
    [[nodiscard]] std::vector<std::size_t> shape_of(const Handle& dataset,
                                                    const std::string& name) const;
    void check_storage(const Handle& dataset, const std::string& name, std::uint64_t bytes) const;
    void read(const Handle& dataset, const std::string& name, const ElementType& type, void* values,
              std::size_t count) const;

    Handle group_;
    std::string path_;
    std::shared_ptr<Allowance> allowance_;
};

class FileReader {
public:
    explicit FileReader(const std::filesystem::path& path);
    explicit FileReader(std::span<const std::byte> image);

    [[nodiscard]] GroupReader root() const { return group("/"); }
    /// Absolute path of a group, e.g. "/results/ranks".
    [[nodiscard]] GroupReader group(const std::string& path) const;

private:
    QuietHdf5 quiet_;
    std::shared_ptr<Allowance> allowance_;
    Handle file_;
};

/// Run `read()` and turn a Rejection into bad_input that names the file.
template <class Read>
[[nodiscard]] auto guarded_read(const std::string& file, Read read) -> Expected<decltype(read())> {
    try {
        return read();
    } catch (const Rejection& rejection) {
        return fail(ErrorCode::bad_input,
                    "cannot read '{}' ({}). Use a complete file written by this program", file,
                    rejection.what());
    }
}

/// Row i takes the i-th value of every column, in the order of its members: the way back from
/// pick() of writer.hpp. @pre columns of one length
template <class Row, class First, class... Others>
[[nodiscard]] std::vector<Row> rows_from(const std::vector<First>& first,
                                         const std::vector<Others>&... others) {
    std::vector<Row> rows;
    rows.reserve(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        rows.push_back(Row{first[i], others[i]...});
    }
    return rows;
}

}  // namespace prismllm::store
